// Who prints a label claims it first: two desks print each label once, and what was begun and not ended waits for a person.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { booked, journalRig, label, ofLeg, SCOPE } from '../rig/journal.ts';
import { PDF } from '../rig/labels.ts';
import { describeBoth, type JournalKind } from '../rig/postgres.ts';
import { SHIPMENT } from '../rig/service.ts';
import { event, http, rawServer } from '../rig/sockets.ts';

/** A rig in which these keys were booked, with their labels. */
async function labelled(journal: JournalKind, keys: string): Promise<Rig> {
  const rig = await createRig({ journal });
  for (const key of keys.split(' ')) {
    const stdin = JSON.stringify(changed(SHIPMENT, { 'receiver.firstName': key }));
    expect((await rig.run(`ship -f - --key ${key} --label`, { stdin })).exitCode).toBe(0);
  }
  return rig;
}

/** The names of the label files that programs were started with. */
const printed = (all: readonly { programs: string[][] }[]): string[] =>
  all
    .flatMap(({ programs }) => programs)
    .map(([, file = '']) => file.split('/').at(-1) ?? '')
    .sort();

describeBoth('Two desks at one moment', journal => {
  test.each([false, true])(
    'that merge into one file do not lose the labels of the first, an old file there: %s',
    // On a busy machine the first may end before the other one begins: then there was no such moment.
    { retry: 5 },
    async isOld => {
      const rig = await labelled(journal, 'A B C');
      if (isOld) await rig.run('label C --merge today.pdf');
      const both = await Promise.all(
        ['A', 'B'].map(async key => ({ key, ...(await rig.run(`label ${key} --merge today.pdf`)) })),
      );
      const lost = both.find(({ exitCode }) => exitCode !== 0) ?? expect.fail('both have written it');
      expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 9]);
      expect(lost.stderr).toContain(
        'not merged: another command wrote today.pdf meanwhile, which stays. Give --merge another FILE',
      );
      const unprinted = JSON.parse((await rig.run('label --unprinted --json')).stdout);
      expect(unprinted.map(({ key }: { key: string }) => key)).toEqual(
        isOld ? [lost.key] : ['C', lost.key].sort(),
      );
      expect((await rig.run(`label ${lost.key} --merge other.pdf`)).exitCode).toBe(0);
    },
  );

  test('print a label that the printer of the first one did not take', async () => {
    const rig = await labelled(journal, 'A');
    let other: Promise<Ran> | undefined;
    const first = await rig.run('label A --print', {
      programCode: 1,
      onProgram: () => {
        other = rig.run('label A --print');
      },
    });
    expect([first.exitCode, (await other)?.exitCode, (await other)?.programs.length]).toEqual([9, 0, 1]);
  });
});

/** Orders of these keys, at a service that gives the file of a label when `release` was called. `asked`: for the first one. */
async function slowLabels(keys: string[], journal: JournalKind = 'local') {
  const [released, release] = event();
  const [asked, fetched] = event();
  let fetches = 0;
  const { url } = await rawServer(async (socket, request) => {
    if (request.startsWith('GET')) {
      const isFirst = fetches === 0;
      fetches += 1;
      fetched();
      if (isFirst) await released;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${PDF.length}\r\n\r\n`);
      socket.write(PDF);
      return;
    }
    const label = { success: true, label: `${url.origin}/label.pdf` };
    const isShipment = request.startsWith('POST /v1/shipments');
    const id = `S-${/firstName":"(.)"/.exec(request)?.[1]}`;
    const answer = isShipment ? { id } : { success: true, international: label };
    socket.write(http(isShipment ? 201 : 200, JSON.stringify(answer)));
  });
  const rig = await createRig({ journal, env: { WAYBILL_BASE_URL: url.origin } });
  for (const key of keys) {
    const stdin = JSON.stringify(changed(SHIPMENT, { 'receiver.firstName': key }));
    expect((await rig.run(`ship -f - --key ${key} --label`, { stdin })).exitCode).toBe(0);
  }
  return { rig, asked, release };
}

describeBoth('A label that is being fetched', journal => {
  test('of an order that is cancelled meanwhile gets into no file', async () => {
    const { rig, asked, release } = await slowLabels(['A', 'B'], journal);
    const merged = rig.run('label A B --merge all.pdf');
    await asked;
    expect((await rig.run('history cancelled A --reason phone')).exitCode).toBe(0);
    release();
    const { exitCode, stderr } = await merged;
    expect(exitCode).toBe(9);
    expect(stderr.replace(/\s+/g, ' ')).toContain('of S-A was not printed: the order "A" was cancelled');
    expect(stderr).toMatch(/all\.pdf \(1 label\)/);
  });

  test('and that another desk merges meanwhile, is left out by label --unprinted', async () => {
    const { rig, asked, release } = await slowLabels(['A'], journal);
    const second = rig.run('label --unprinted --merge two.pdf');
    await asked;
    const first = await rig.run('label A --merge one.pdf');
    release();
    expect([first.exitCode, (await second).exitCode]).toEqual([0, 0]);
    expect((await second).stderr).not.toContain('labels merged');
    expect(existsSync(join(rig.folder, 'two.pdf'))).toBe(false);
  });
});

describeBoth('A print', kind => {
  test('whose process is gone is named by label --unprinted, exit 9, and waits for --reprint', async () => {
    const rig = await labelled(kind, 'A B');
    const [printing, began] = event();
    // Its printer never ends, and its lease is not renewed.
    const onProgram = () => {
      began();
      return new Promise(() => {});
    };
    void rig.run('label A --print', { onProgram });
    await printing;
    await rig.later(2 * 60 * 60 * 1000);
    const named = await rig.run('label --unprinted');
    expect(named.exitCode).toBe(9);
    expect(named.stderr).toContain('1 order has a label that was not printed');
    expect(named.stderr).toMatch(/of \S+ may be printed: .* `waybill label --print --reprint A`/);
    const ran = await rig.run('label --unprinted --print');
    expect([ran.exitCode, printed([ran])]).toEqual([9, ['B.pdf']]);
    expect((await rig.run('label --unprinted')).stderr).not.toContain('--unprinted --print');
    const again = await rig.run('label --print --reprint A');
    expect([again.exitCode, printed([again])]).toEqual([0, ['A.pdf']]);
    expect(await rig.run('label --unprinted -q')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('holds its label until it ends; how it ended with its process, a person finds out', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const second = await other(2);
    const made = { international: { made: true, trackingNumber: 'T' } };
    await booked(journal, label(['A']), 'created', { ids: {}, labels: made });
    const claim = (again = false) => second.claimPrints(SCOPE, [ofLeg('A'), ofLeg('B')], again);
    const stateOfLabel = async () => {
      const { claimed, held } = await claim();
      await second.endPrints({ scope: SCOPE, claimed, held });
      return held.map(({ state, by }) => [state, by?.process]);
    };
    await journal.endPrints(await journal.claimPrints(SCOPE, [ofLeg('A')], false));
    expect(await stateOfLabel()).toEqual([]);
    await journal.claimPrints(SCOPE, [ofLeg('A')], false);
    expect(await claim(true)).toMatchObject({ claimed: [], held: [{ state: 'printing' }] });
    await dies(1);
    expect(await stateOfLabel()).toEqual([['abandoned', 1]]);
    // The print of a person who looked fails, too.
    await second.endPrints(await claim(true));
    expect(await second.abandonedPrints(SCOPE)).toMatchObject([{ shipment: 'A', by: { process: 1 } }]);
    await second.endPrints(await claim(true), [ofLeg('A')], 'cut-off');
    expect(await stateOfLabel()).toEqual([['abandoned', 2]]);
    await second.endPrints(await claim(true), [ofLeg('A')]);
    expect(await stateOfLabel()).toEqual([['printed', undefined]]);
    expect(await second.abandonedPrints(SCOPE)).toEqual([]);
  });
});
