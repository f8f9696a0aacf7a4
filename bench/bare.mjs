// A batch is compared with this loop, which a script without a journal would have. It reads JSON lines, validates
// them with the product's own schema and posts each once, over one pool. Without CONTRACT it neither parses nor validates:
// that is the lower limit of any client on undici.
//   node bench/bare.mjs ADDRESS FILE CONCURRENCY [CONTRACT]
import { createReadStream } from 'node:fs';
import { Pool } from 'undici';

const [address, file, concurrency, contract] = process.argv.slice(2);
const schema = contract && (await import(contract)).OPERATIONS.createShipment.body;
const pool = new Pool(address, { connections: Number(concurrency) });

async function* linesOf(path) {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    yield* lines;
  }
}

function orderOf(line) {
  const { key, ...order } = JSON.parse(line);
  if (!schema.safeParse(order).success) throw new Error(`${key} is not valid`);
  return JSON.stringify(order);
}

async function post(body) {
  const answer = await pool.request({
    path: '/v1/shipments',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
    body,
  });
  await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`the server answered ${answer.statusCode}`);
}

const lines = linesOf(file);
async function work() {
  for (let next = await lines.next(); !next.done; next = await lines.next())
    await post(schema ? orderOf(next.value) : next.value);
}
await Promise.all(Array.from({ length: Number(concurrency) }, work));
await pool.close();
