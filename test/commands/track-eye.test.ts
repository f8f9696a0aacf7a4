// A shipment at a terminal: what happened, one below the other, with the time between.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { cannedService } from '../rig/service.ts';

const UTF8 = { LANG: 'en_US.UTF-8', NO_COLOR: '1' };

const SHIPMENT = {
  id: 'S-1',
  status: [
    { status: 'waiting', milestone: 'waiting', date: '2026-03-01T08:00:00.000Z' },
    { status: 'delivered', milestone: 'delivered', date: '2026-03-05T12:30:00.000Z' },
  ],
  tracking: {
    events: [
      {
        status: 'Arrived',
        milestone: 'in_transit',
        description: 'Arrived at the sorting centre',
        location: 'Frankfurt',
        date: '2026-03-03T14:00:00+02:00',
      },
      { status: 'Delivered', milestone: 'delivered', location: 'Berlin', date: '2026-03-05T12:30:00Z' },
    ],
  },
};

/** The time line of a shipment on a terminal of that many columns; `undefined`: what a pipe gets. */
async function seen(
  shipment: object,
  columns: number | undefined,
  env: Record<string, string> = {},
): Promise<string> {
  const rig = await createRig();
  const service = await cannedService({ '/v1/shipments/S-1': { status: 200, body: shipment } });
  const ran = await rig.run('track S-1', {
    ...(columns !== undefined && { terminal: true, columns }),
    env: { ...service.env, ...UTF8, ...env },
  });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.trimEnd().split('\n\n').slice(1).join('\n\n');
}

describe('What happened to a shipment', () => {
  test('has each step once, and two steps of one moment both', async () => {
    const date = '2026-03-05T12:30:00Z';
    const status = [
      { status: 'DELIVERED', date },
      { status: 'DELIVERED', date },
    ];
    const events = [
      { status: 'Delivered', milestone: 'delivered', location: 'Berlin', date: '2026-03-05T13:30:00+01:00' },
      { status: 'Signed', milestone: 'delivered', date },
      { status: 'Delivered', location: 'Bonn', date },
      { status: 'soon', date: '5.11.2026' },
      { status: 'soon', date: '6.11.2026' },
    ];
    const shown = await seen({ id: 'S-1', status, tracking: { events } }, 100);
    expect(shown.split('\n').map(line => line.replace(/ +/g, ' '))).toEqual([
      '○ 5.11.2026 soon',
      '○ 6.11.2026 soon',
      '○ 5 Mar 12:30 delivered Berlin',
      '○ 5 Mar 12:30 Signed, delivered',
      '● 5 Mar 12:30 Delivered Bonn',
    ]);
  });

  test('is a time line, with times of this machine and the time between', async () => {
    expect(await seen(SHIPMENT, 100)).toBe(
      [
        '○ 1 Mar 08:00    waiting',
        '│ 2 d 4 h later',
        '○ 3 Mar 12:00    Arrived, in transit  Frankfurt  Arrived at the sorting centre',
        '│ 2 d later',
        '● 5 Mar 12:30    delivered            Berlin',
      ].join('\n'),
    );
  });

  test('has a line for each fact on a narrow terminal, and nothing is cut', async () => {
    expect(await seen(SHIPMENT, 30)).toBe(
      [
        '○ 1 Mar 08:00',
        '│ waiting',
        '│ 2 d 4 h later',
        '○ 3 Mar 12:00',
        '│ Arrived, in transit',
        '│ Frankfurt',
        '│ Arrived at the sorting',
        '│ centre',
        '│ 2 d later',
        '● 5 Mar 12:30',
        '  delivered',
        '  Berlin',
      ].join('\n'),
    );
  });

  test('is the table that a pipe gets on a dumb terminal, and for a screen reader', async () => {
    const piped = await seen(SHIPMENT, undefined);
    expect(piped).toMatch(/^WHEN +STATUS +WHERE +WHAT\n1 Mar 08:00 +waiting +- +-\n/);
    for (const env of [{ TERM: 'dumb' }, { WAYBILL_ACCESSIBLE: '1' }])
      expect(await seen(SHIPMENT, 200, env)).toBe(piped);
  });

  test('has the last one in bold, and nothing that a terminal obeys', async () => {
    const status = [{ status: 'a\u001b[2J\nb\u202e', date: '2026-03-01T08:00:00Z' }];
    for (const columns of [20, 80]) {
      const shown = await seen({ id: 'S-1', status }, columns, { NO_COLOR: '' });
      expect(shown).toContain('\u001b[1m● 1 Mar 08:00');
      expect(shown.replace(/\u001b\[\d+m/g, '')).not.toMatch(/\p{Cf}|\u001b/u);
      expect(shown).toContain('a[2J b');
    }
  });

  test('that has not begun is said, and nothing is drawn', async () => {
    expect(await seen({ id: 'S-1', status: [] }, 80)).toBe('Nothing has happened yet.');
  });
});

const scanned = (date: string) => ({ status: 'scanned', milestone: 'scanned', date });

test('A date that may begin with the day or the month is shown as it came, and is no newest one', async () => {
  const events = ['05.11.2026 14:30', '5/11/26 14:30', '05-11-2026'].map(scanned);
  const status = [{ status: 'waiting', milestone: 'waiting', date: '2026-01-02T08:00:00Z' }];
  const shown = await seen({ id: 'S-1', status, tracking: { events } }, 100);
  expect(shown.split('\n')).toEqual([
    '○ 05.11.2026 14:30  scanned',
    '○ 5/11/26 14:30     scanned',
    '○ 05-11-2026        scanned',
    '● 2 Jan 08:00       waiting',
  ]);
});

test('A day without a time of day is shown as that day, and not as its midnight in UTC', async () => {
  const body = { id: 'S-1', tracking: { events: [scanned('2026-01-03')] } };
  expect(await seen(body, 100)).toBe('● 2026-01-03  scanned');
});
