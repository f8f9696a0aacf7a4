// Which run booked, and who: what the journal has of it.
import { describe, expect, test } from 'vitest';
import { createRig, type RunOptions } from '../rig/command.ts';
import { inJournal } from '../rig/journal.ts';
import { SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const HERE = 'somebody@test';

/** What the journal has of a booking that was made so. */
async function recorded(env: Record<string, string>, flags: string[] = [], options: RunOptions = {}) {
  const rig = await createRig();
  const ran = await rig.run(['ship', '-f', '-', '--new-journal', ...flags], { stdin, env, ...options });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const [booking] = await inJournal(rig, 'state', journal => journal.list({}));
  return [booking?.run, booking?.actor];
}

describe('Each booking is recorded with its run and who made it', () => {
  const GITHUB =
    'GITHUB_SERVER_URL=https://git.example; GITHUB_REPOSITORY=shop/orders; GITHUB_RUN_ID=42; GITHUB_ACTOR=anna';
  const AZURE =
    'SYSTEM_COLLECTIONURI=https://dev.azure.com/shop/; SYSTEM_TEAMPROJECT=Night Orders; BUILD_BUILDID=7; BUILD_REQUESTEDFOR=Anna Ö.';
  const ITS_RUN = 'https://git.example/shop/orders/actions/runs/42';
  const AGAIN = 'GITHUB_RUN_ATTEMPT=2; GITHUB_TRIGGERING_ACTOR=ben';
  test.each([
    ['GitHub Actions', GITHUB, ITS_RUN, 'anna'],
    ['GitHub Actions, run again by another person', `${GITHUB}; ${AGAIN}`, `${ITS_RUN}/attempts/2`, 'ben'],
    ['GitHub Actions without a run', `${GITHUB}; GITHUB_RUN_ID=`, null, HERE],
    ['GitLab', 'CI_JOB_URL=https://g.example/-/3; GITLAB_USER_LOGIN=ben', 'https://g.example/-/3', 'ben'],
    ['Jenkins', 'BUILD_URL=https://j.example/5/; BUILD_USER_ID=cem', 'https://j.example/5/', 'cem'],
    ['Jenkins without a user', 'BUILD_URL=https://j.example/5/', 'https://j.example/5/', HERE],
    ['CircleCI', 'CIRCLE_BUILD_URL=https://c.example/9; CIRCLE_USERNAME=dua', 'https://c.example/9', 'dua'],
    [
      'Buildkite',
      'BUILDKITE_BUILD_URL=https://b.example; BUILDKITE_BUILD_CREATOR=E E',
      'https://b.example',
      'E E',
    ],
    ['Azure', AZURE, 'https://dev.azure.com/shop/Night%20Orders/_build/results?buildId=7', 'Anna Ö.'],
    ['an agent that says its name', 'AI_AGENT=some-agent 2', null, `${HERE} via some-agent 2`],
    ['an agent that is known by its variable', 'CLAUDECODE=1', null, `${HERE} via claude-code`],
    ['an agent in CI', `${GITHUB}; CODEX_SANDBOX=seatbelt`, ITS_RUN, 'anna via codex'],
    ['a variable that is off', 'AI_AGENT=0; CURSOR_AGENT=false', null, HERE],
    ['our variables before that of an agent', 'CLAUDECODE=1; WAYBILL_ACTOR=shop', null, 'shop'],
    ['our variables before those of CI', `${GITHUB}; WAYBILL_RUN=night; WAYBILL_ACTOR=shop`, 'night', 'shop'],
  ])('%s', async (_, variables, run, actor) => {
    const env = variables.split('; ').map(one => [one.split('=')[0], one.slice(one.indexOf('=') + 1)]);
    expect(await recorded(Object.fromEntries(env))).toEqual([run, actor]);
  });

  test('what a CI system says never stops it: it is cut, without control characters', async () => {
    const env = { CI_JOB_URL: `https://g.example/\u0007${'x'.repeat(300)}`, GITLAB_USER_LOGIN: '\u001b' };
    expect(await recorded(env)).toEqual([`https://g.example/${'x'.repeat(182)}`, HERE]);
  });
});
