// Runs contenders in turns, A B C A B C …, so that a slow phase of the machine slows all of them.

/**
 * A contender is `{ name, command, env, server, requests, prepare, input }`: `env` is added to the common environment,
 * `prepare` creates the state before each run, and this many `requests` must arrive at the server in each run. A contender
 * without a command does not run.
 *
 * Gives a map of names to the results of `measure`, one for each round. A run that fails or is incomplete is an error.
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
