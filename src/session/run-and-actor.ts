// Which run books, and who: as flags or variables say, else as the CI system says, else this user on this machine.
import type { Host } from '../host.ts';
import { setting } from '../profile/environment.ts';
import { fromEnvironment, type Globals, LONGEST_NAME, recordedName } from '../session/globals.ts';

export interface RunAndActor {
  /** Which run this is; `null` if nothing names it. */
  run: string | null;
  /** Who runs it. */
  actor: string;
}

/** Throws `usage` if a variable of ours cannot be recorded. */
export function runAndActor({ run, actor }: Partial<Globals>, { env, process }: Host): RunAndActor {
  const ci = systemsOf(env).find(system => system.run !== undefined);
  return {
    run: run ?? fromEnvironment(env, 'WAYBILL_RUN', recordedName) ?? fitting(ci?.run) ?? null,
    actor:
      actor ??
      fromEnvironment(env, 'WAYBILL_ACTOR', recordedName) ??
      fitting(ci?.actor) ??
      `${process.user ?? 'an unknown user'}@${process.host}`,
  };
}

/** A CI system must not stop a booking by what it calls a run. */
const fitting = (name: string | undefined): string | undefined =>
  [...(name?.replace(/\p{Cc}/gu, '') ?? '')].slice(0, LONGEST_NAME).join('') || undefined;

interface System {
  run: string | undefined;
  actor: string | undefined;
}

/** What the variables of each CI system say. */
function systemsOf(env: Host['env']): System[] {
  const given = (name: string) => setting(env, name);
  const github = [given('GITHUB_SERVER_URL') ?? 'https://github.com', given('GITHUB_REPOSITORY')];
  const [run, attempt = '1'] = [given('GITHUB_RUN_ID'), given('GITHUB_RUN_ATTEMPT')];
  const githubRun = run && attempt !== '1' ? `${run}/attempts/${attempt}` : run;
  const azure = [given('SYSTEM_COLLECTIONURI')?.replace(/\/+$/, ''), given('SYSTEM_TEAMPROJECT')];
  return [
    {
      run: joined(github, '/actions/runs/', githubRun),
      // Who runs it again is not who started it first.
      actor: given('GITHUB_TRIGGERING_ACTOR') ?? given('GITHUB_ACTOR'),
    },
    { run: given('CI_JOB_URL'), actor: given('GITLAB_USER_LOGIN') },
    { run: given('CIRCLE_BUILD_URL'), actor: given('CIRCLE_USERNAME') },
    { run: given('BUILDKITE_BUILD_URL'), actor: given('BUILDKITE_BUILD_CREATOR') },
    {
      run: joined(azure, '/_build/results?buildId=', given('BUILD_BUILDID')),
      actor: given('BUILD_REQUESTEDFOR'),
    },
    // Jenkins, whose name for it other systems use as well.
    { run: given('BUILD_URL'), actor: given('BUILD_USER_ID') },
  ];
}

function joined(
  [address, project]: (string | undefined)[],
  path: string,
  id: string | undefined,
): string | undefined {
  if (address === undefined || project === undefined || id === undefined) return undefined;
  return `${address}/${encodeURI(project)}${path}${id}`;
}
