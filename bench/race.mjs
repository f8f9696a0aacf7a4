// Contenders in turns, A B C A B C …, so that what slows the machine down for a while slows all of them.

/**
 * A contender is `{ name, command, env, server, requests, prepare, input }`: `env` is what it has beside the others,
 * `prepare` brings about the state that each of its runs starts from, and so many `requests` have to arrive at the server
 * in each. Who has no command does not run.
 *
 * Gives a map of names to what `measure` gave, round by round. Throws where a run fails or has not done its work.
 */
export async function race(stage, contenders, rounds, measure) {
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const contender of contenders)
      if (contender.command) samples.get(contender.name).push(await runOnce(stage, contender, measure));
  return samples;
}

async function runOnce({ folder, env }, contender, measure) {
  const { name, command, server, requests, prepare, input } = contender;
  await prepare?.();
  const before = await server.count();
  let sample;
  try {
    sample = measure(command, { folder, env: { ...env, ...contender.env }, input });
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
  const arrived = (await server.count()) - before;
  if (arrived !== requests)
    throw new Error(`${name}: ${arrived} requests arrived at the server instead of ${requests}`);
  return sample;
}
