// Takes the pictures of docs/: the command as it is built, run at a real terminal on the emulator, drawn as SVG. Look at what
// changed in them before you keep it.
//
//     node scripts/pictures.mjs [FOLDER] [COMMAND]
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const [folder = 'docs', command = 'bin/waybill.js'] = process.argv.slice(2);
const COLUMNS = 96;
const ROWS = 40;
const LONGEST_WAIT = 120_000;

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

/** Words before a command: it runs beside an emulator, behind what is done `first` there. */
const emulated = (first, ...options) => [
  ...['waybill', 'emulator', '-q', '--port', '0', ...options, '--'],
  ...['bash', '-c', `${first} && exec "$@"`, '-'],
];

/** Each takes its pictures with `snap(name, title)` and ends its command. */
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
      /^[\d.]+ EUR, charged to /,
    );
    screen.type('\x03');
    await screen.ended;
  },
  async world => {
    world.run(`
      waybill batch template ship > one.csv
      head -n 1 one.csv > orders.csv
      for n in {01..24}; do tail -n 1 one.csv | sed "s/ORDER-2001/ORDER-20$n/; s/Torstrasse 1/Torstrasse $n/"; done >> orders.csv
      # One of them is heavier than the carrier takes.
      sed -i '/ORDER-2007/{s/,1.5,/,80,/;s/,3,\\([^,]*\\)$/,160,\\1/}' orders.csv`);
    const screen = world.open('waybill batch ship orders.csv --max-price 60EUR --failed fix.csv', {
      within: emulated('true'),
    });
    await screen.ended;
    screen.snap('batch', 'waybill batch: how many were sent, what became of them, what they cost');
  },
  async world => {
    world.run('waybill schema ship --example > order.json');
    const book = 'waybill ship -q -f order.json --carrier EXP --key ORDER-1001 --label > shipped';
    const arrive = 'waybill track -q --key ORDER-1001 --until delivered --interval 1 > milestone';
    const screen = world.open('waybill track --key ORDER-1001', {
      within: emulated(`${book} && ${arrive}`, '--speed', '86400'),
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
      within: emulated('waybill batch ship -q orders.csv --concurrency 1 > results'),
    });
    await screen.shows(/Labels of which shipments/);
    screen.type('\x1b[B \x1b[B ');
    await screen.shows(/◉[\s\S]*◉/);
    screen.snap(
      'label-pick',
      'waybill label: orders that have no label yet, two of them picked',
      /^\? Labels/,
    );
    screen.type('\x03');
    await screen.ended;
  },
  async world => {
    world.run(FIVE_ORDERS);
    const book = 'waybill batch ship -q orders.csv --concurrency 1 --label > results 2>&1 || test $? = 8';
    const faults = ['--fault', '500:0.12', '--fault', 'label-international:0.4'];
    const screen = world.open('waybill history summary --since 1d', {
      within: emulated(book, '--seed', '5', ...faults),
    });
    await screen.ended;
    screen.snap('summary', 'waybill history summary: what needs a person, with the command to type');
  },
  async world => {
    world.run(FIVE_ORDERS);
    const keys = [1, 2, 3, 4].map(number => `ORDER-200${number}`);
    const stamp = ['--stamp', '{key} for {receiver}'];
    world.within(emulated('waybill batch ship -q orders.csv --concurrency 1 --label > results'), [
      'waybill',
      'label',
      ...keys,
      '--merge',
      'four.pdf',
      '--per-page',
      '4',
      ...stamp,
    ]);
    world.snapPage('four.pdf', 'labels-on-a4', 'Four labels on a page of A4, each with a line below it');
  },
  async () => {
    const title = 'waybill ship-dual: one order, a shipment for each of its two legs';
    writeFileSync(join(folder, 'legs.svg'), framed(title, 843, 252, legs()));
  },
];

/** Who has the parcel of a pair, from left to right, and the legs between them. */
const STOPS = [
  { at: 24, name: 'sender', place: 'Istanbul, TR' },
  { at: 341, name: 'warehouse', place: 'in your country' },
  { at: 658, name: 'receiver', place: 'Berlin, DE' },
];
const LEGS = [
  { from: 0, name: 'domestic leg', carrier: '--domestic DOM', color: '#e3b341' },
  { from: 1, name: 'international leg', carrier: '--international EXP', color: '#79c0ff' },
];

/** One key above, three stops with an arrow for each leg in the middle, and below each arrow what its shipment has of its own. */
function legs() {
  const [wide, top, high] = [161, 92, 62];
  const text = (x, y, words, look = '') =>
    `<text x="${x}" y="${y}" text-anchor="middle"${look}>${words}</text>`;
  const boxes = STOPS.flatMap(({ at, name, place }) => [
    `<rect x="${at}" y="${top}" width="${wide}" height="${high}" rx="6" fill="none" stroke="${INK.button}" stroke-width="1.5"/>`,
    text(at + wide / 2, top + 27, name, ' font-weight="bold"'),
    text(at + wide / 2, top + 47, place, ' fill-opacity="0.65"'),
  ]);
  const arrows = LEGS.flatMap(({ from, name, carrier, color }) => {
    const [left, right, y] = [STOPS[from].at + wide + 6, STOPS[from + 1].at - 6, top + high / 2];
    const middle = (left + right) / 2;
    return [
      `<path d="M${left} ${y} H${right - 9}" stroke="${color}" stroke-width="2.5" fill="none"/>`,
      `<path d="M${right} ${y} l-11 -6 v12 z" fill="${color}"/>`,
      text(middle, y - 12, name, ` fill="${color}" font-weight="bold" font-size="12"`),
      `<path d="M${middle} ${y + 8} V${top + high + 22}" stroke="${color}" stroke-dasharray="3 4" fill="none"/>`,
      text(middle, top + high + 40, carrier, ` fill="${color}"`),
      text(middle, top + high + 60, 'shipment id, tracking number, label'),
    ];
  });
  const key = text(421.5, 54, 'one order, one key: ORDER-1103', ' font-weight="bold"');
  const bar = `<path d="M104.5 ${top - 6} V72 H738.5 V${top - 6}" stroke="${INK.button}" stroke-width="1.5" fill="none"/>`;
  return [key, bar, ...boxes, ...arrows];
}

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
  return {
    run: script => execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd, env, stdio: 'ignore' }),
    /** Runs a command inside of another one. */
    within: ([program, ...args], words) =>
      execFileSync(program, [...args, ...words], { cwd, env, stdio: 'ignore' }),
    open: (line, options) => openScreen(line, { cwd, env }, options),
    /** Draws the first page of a PDF, in black and white. */
    snapPage(file, name, title) {
      const args = ['-r', String(PAGE.dots), '-mono', '-singlefile', '-png', file, 'page'];
      execFileSync('pdftoppm', args, { cwd, env });
      const picture = readFileSync(join(cwd, 'page.png'));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}.svg`), pageSvg(title, picture));
    },
    // A command that is ending may still write there.
    close: () => rmSync(place, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Runs `line` in bash, inside of the command `within`, below a prompt with the line. */
function openScreen(line, place, { columns = COLUMNS, within = [] } = {}) {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true });
  terminal.write(`\x1b[2m$\x1b[22m \x1b[1m${line}\x1b[22m\r\n`);
  const [program, ...args] = [...within, 'bash', '-c', line];
  const pty = spawn(program, args, { name: 'xterm-256color', cols: columns, rows: ROWS, ...place });
  pty.onData(data => terminal.write(data));
  const ended = new Promise(done => {
    pty.onExit(() => terminal.write('', done));
  });

  /** The lines down to the last that is not empty. */
  const screenLines = () => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at));
    return all.slice(0, all.findLastIndex(each => textOf(each) !== '') + 1);
  };

  return {
    ended,
    type: words => pty.write(words),
    /** Ends when the screen shows it. */
    async shows(wanted) {
      const begun = Date.now();
      for (;;) {
        const text = screenLines().map(textOf).join('\n');
        if (wanted.test(text)) return;
        if (Date.now() - begun > LONGEST_WAIT) throw new Error(`${wanted} is not shown:\n${text}`);
        await sleep(20);
      }
    },
    /** Draws the lines from the first that matches. */
    snap(name, title, from = /^/) {
      const all = screenLines();
      const lines = all.slice(all.findIndex(each => from.test(textOf(each))));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}.svg`), svg(title, columns, lines));
    },
  };
}

const textOf = line => line.translateToString(true).trimEnd();

const CELL = { width: 8.4, height: 19, font: 14 };
const PAD = { side: 18, top: 42, bottom: 16 };
const INK = { back: '#161b22', text: '#d7dde5', frame: '#30363d', button: '#484f58' };
const PALETTE = ['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#d7dde5'];

/** A screen as text that can be read and searched. */
function svg(title, columns, lines) {
  const width = Math.ceil(columns * CELL.width + 2 * PAD.side);
  const height = PAD.top + lines.length * CELL.height + PAD.bottom;
  const texts = lines.flatMap((line, row) => svgLine(line, PAD.top + row * CELL.height + CELL.font));
  return framed(title, width, height, texts);
}

/** A window that looks the same on light and dark pages. */
function framed(title, width, height, content) {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${INK.back}" stroke="${INK.frame}"/>`,
    ...[0, 1, 2].map(at => `<circle cx="${PAD.side + 6 + at * 20}" cy="20" r="6" fill="${INK.button}"/>`),
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${CELL.font}" fill="${INK.text}" xml:space="preserve" style="white-space:pre">`,
    ...content,
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

/** Of a page that is shown: how finely it is drawn, and its shown part of that size. */
const PAGE = { dots: 80, scale: 0.6 };

/** A page of paper, which looks the same on light and dark pages. */
function pageSvg(title, picture) {
  // A PNG begins with its size.
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)].map(side => side * PAGE.scale);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width + 2}" height="${height + 2}" viewBox="0 0 ${width + 2} ${height + 2}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width + 1}" height="${height + 1}" fill="#ffffff" stroke="${INK.frame}"/>`,
    `<image x="1" y="1" width="${width}" height="${height}" href="data:image/png;base64,${picture.toString('base64')}"/>`,
    '</svg>',
  ].join('\n')}\n`;
}

/** A line is one text, so that a reader can copy it whole; the runs of cells that look the same stand where their cells are. */
function svgLine(line, y) {
  const runs = [];
  for (let column = 0; column < textOf(line).length; column += 1) {
    const cell = line.getCell(column);
    const text = cell.getChars() || ' ';
    const look = lookOf(cell);
    if (runs.at(-1)?.look === look) runs.at(-1).text += text;
    else runs.push({ column, text, look });
  }
  const spans = runs.map(({ column, text, look }) => {
    const [x, length] = [PAD.side + column * CELL.width, [...text].length * CELL.width].map(rounded);
    return `<tspan x="${x}" textLength="${length}"${look}>${escaped(text)}</tspan>`;
  });
  return spans.length === 0 ? [] : `<text y="${y}">${spans.join('')}</text>`;
}

/** The attributes of a cell. What no picture has yet, such as a background, is not drawn. */
function lookOf(cell) {
  const color = PALETTE[cell.getFgColor()];
  if (!cell.isFgDefault() && !color) throw new Error(`no color ${cell.getFgColor()} in the palette`);
  return [
    cell.isFgDefault() ? '' : ` fill="${color}"`,
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isDim() ? ' fill-opacity="0.65"' : '',
  ].join('');
}

const rounded = number => Math.round(number * 10) / 10;
const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

for (const scene of SCENES) {
  const world = createWorld();
  try {
    await scene(world);
  } finally {
    world.close();
  }
}
