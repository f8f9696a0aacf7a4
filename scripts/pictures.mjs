// Takes the pictures of docs/: the command as it is built, run at a real terminal on the emulator, drawn as SVG.
//
//     node scripts/pictures.mjs [FOLDER] [COMMAND]
//
// Look at what changed before you keep it.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openScreen } from './picture-screen.mjs';
import { svg } from './picture-svg.mjs';

const [folder = 'docs', command = 'bin/waybill.js'] = process.argv.slice(2);
const COLUMNS = 96;
const ROWS = 40;

const FIVE_ORDERS = `
  waybill batch template ship > one.csv
  head -n 1 one.csv > orders.csv
  while read -r number carrier name place; do
    tail -n 1 one.csv | sed "s/2001/$number/; s/EXP/$carrier/; s/Jonas,Weber/$name/; s/Berlin,10119/$place/; s/EUR,/&IM2760000742/"
  done >> orders.csv <<'END'
2001 EXP Anna,Beispiel Dresden,01097
2002 ECO Jonas,Muster Hamburg,20095
2003 ECO Clara,Probe Leipzig,04109
2004 EXP Emil,Vorlage Bremen,28195
2005 ECO Marta,Modell Kassel,34117
END`;

/** Each takes its pictures with `snap(name, title)`. */
const SCENES = [
  async world => {
    const screen = world.open('waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm');
    await screen.ended;
    screen.snap('quote', 'waybill quote: the proposals of two carriers, with bars for price and time');
  },
  async world => {
    const screen = world.open('waybill ship --profile demo -f unfinished.json --max-price 20EUR');
    for (const [question, answer] of [
      ['Order number', '1001'],
      ['Receiver: E-mail address', 'anna.beispiel@example.com'],
      ['Receiver: Phone number', '3023125001'],
      ['Receiver: City', 'Dresden'],
    ]) {
      await screen.shows(new RegExp(`\\? ${question}`));
      screen.type(`${answer}\r`);
      await screen.shows(new RegExp(`✔ ${question}`));
    }
    await screen.shows(/esc back/);
    screen.type('\r');
    await screen.shows(/\? IOSS number/);
    screen.type('IM2760000742\r');
    await screen.shows(/❯ Book it/);
    screen.snap(
      'form-review',
      'waybill ship: the whole order on one page before it is booked',
      /^Istanbul, TR →/,
    );
    screen.type('\x03');
    await screen.ended;
  },
  async world => {
    world.run(`
      waybill batch template ship > one.csv
      head -n 1 one.csv > orders.csv
      for n in {01..24}; do tail -n 1 one.csv | sed "s/ORDER-2001/ORDER-20$n/"; done >> orders.csv
      # One of them is heavier than the carrier takes.
      sed -i '/ORDER-2007/{s/,1.5,/,80,/;s/,3,\\([^,]*\\)$/,160,\\1/}' orders.csv`);
    const screen = world.open('waybill batch ship orders.csv --max-price 60EUR --failed fix.csv', {
      within: ['waybill', 'emulator', '-q', '--port', '0', '--latency', '100', '--'],
    });
    await screen.ended;
    screen.snap('batch', 'waybill batch: how many were sent, what became of them, what they cost');
  },
  async world => {
    world.run('waybill schema ship --example > order.json');
    const book = 'waybill ship -q -f order.json --carrier EXP --key ORDER-1001 --label > shipped';
    const screen = world.open('waybill track --key ORDER-1001', {
      within: [
        ...['waybill', 'emulator', '-q', '--port', '0', '--speed', '86400', '--', 'bash', '-c'],
        `${book} && waybill track -q --key ORDER-1001 --until delivered --interval 1 > milestone && exec "$@"`,
        '-',
      ],
    });
    await screen.ended;
    screen.snap('track', 'waybill track: a shipment and the time line of its statuses');
  },
  async world => {
    world.run('waybill schema ship --example > order.json');
    const screen = world.open(
      'waybill ship -f order.json --category sale --set receiver.address.country.code=UK --set reciever.phone.code=49',
      { columns: 116 },
    );
    await screen.ended;
    screen.snap('mistake', 'waybill ship: three mistakes told at once, with what was meant');
  },
  async world => {
    world.run(FIVE_ORDERS);
    const screen = world.open('waybill label', {
      columns: 100,
      within: [
        ...['waybill', 'emulator', '-q', '--port', '0', '--', 'bash', '-c'],
        'waybill batch ship -q orders.csv --concurrency 1 > results && exec "$@"',
        '-',
      ],
    });
    await screen.shows(/Another one, by its id/);
    screen.type('\x1b[B\x1b[B\r');
    await screen.shows(/❯ Make the label of this one[\s\S]*select/);
    screen.type('\x1b[B'.repeat(4).concat('\r'));
    await screen.shows(/❯ Make the labels of these 2[\s\S]*select/);
    screen.snap(
      'label-pick',
      'waybill label: orders that have no label yet, two of them picked',
      /^\? Which/,
    );
    screen.type('\x03');
    await screen.ended;
  },
  async world => {
    world.run(FIVE_ORDERS);
    const screen = world.open('waybill history summary --since 1d', {
      within: [
        ...['waybill', 'emulator', '-q', '--port', '0', '--seed', '18'],
        ...['--fault', '500:0.12', '--fault', 'label-international:0.4', '--', 'bash', '-c'],
        'waybill batch ship -q orders.csv --concurrency 1 --label > results 2>&1 || test $? = 8 && exec "$@"',
        '-',
      ],
    });
    await screen.ended;
    screen.snap('summary', 'waybill history summary: what needs a person, with the command to type');
  },
];

/** A folder with only the orders of fixtures/, and an environment with only the command. */
function createWorld() {
  const place = mkdtempSync(join(tmpdir(), 'waybill-pictures-'));
  const [cwd, bin] = ['work', 'bin'].map(name => join(place, name));
  mkdirSync(bin);
  cpSync('fixtures/orders', cwd, { recursive: true });
  writeFileSync(join(bin, 'waybill'), `#!/bin/sh\nexec '${process.execPath}' '${resolve(command)}' "$@"\n`);
  chmodSync(join(bin, 'waybill'), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: place,
    LANG: 'en_US.UTF-8',
    TERM: 'xterm-256color',
    WAYBILL_CONFIG_DIR: join(place, 'config'),
    WAYBILL_STATE_DIR: join(place, 'state'),
  };
  const screens = [];
  return {
    run: script => execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd, env, stdio: 'ignore' }),
    open(line, options) {
      const screen = openScreen(line, { columns: COLUMNS, rows: ROWS, env, cwd, ...options });
      screens.push(screen);
      return { ...screen, snap: (name, title, from) => save(name, { title, ...screen.seen(from) }) };
    },
    close() {
      for (const screen of screens) screen.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

function save(name, picture) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.svg`), svg(picture));
}

for (const scene of SCENES) {
  const world = createWorld();
  try {
    await scene(world);
  } finally {
    world.close();
  }
}
