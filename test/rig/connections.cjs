// Loaded into a command before its first line: writes down every connection that it makes, every name that it looks up and
// every program that it starts, and lets it go on.
const { appendFileSync } = require('node:fs');
const net = require('node:net');
const dns = require('node:dns');
const dgram = require('node:dgram');
const programs = require('node:child_process');

const note = (kind, what) => appendFileSync(process.env.CONNECTIONS, `${kind} ${what}\n`);

function watch(object, name, kind, whatOf) {
  const original = object[name];
  object[name] = function (...args) {
    note(kind, whatOf(...args));
    return original.apply(this, args);
  };
}

watch(net.Socket.prototype, 'connect', 'connect', (first, second) => {
  // `net.connect` gives its arguments as a list.
  const options = Array.isArray(first) ? first[0] : first;
  if (typeof options !== 'object') return `${typeof second === 'string' ? second : 'localhost'}:${options}`;
  return options.path ?? `${options.host ?? 'localhost'}:${options.port}`;
});
for (const resolver of [dns, dns.promises])
  for (const name of Object.keys(resolver))
    if (/^(lookup|resolve|reverse)/.test(name)) watch(resolver, name, 'look up', String);
watch(dgram.Socket.prototype, 'send', 'send', () => 'a datagram');
watch(dgram.Socket.prototype, 'bind', 'send', () => 'a datagram');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
  watch(programs, name, 'start', String);
