// A job in a thread of its own: it can be ended at any moment, whatever it does, and its memory has a bound.
import { Worker } from 'node:worker_threads';
import { deadline, interruption } from './signals.ts';

/** The code of a thread. The code answers each message with one message. */
export interface ThreadCode {
  code: string;
  /** What the code finds as its `workerData`. */
  data: unknown;
}

/** Limits of a thread, in MiB. Its stack is smaller than that of the process: so the process can handle whatever the thread could. */
const LIMITS = { maxOldGenerationSizeMb: 128, stackSizeMb: 0.75 };

/** A thread that has ended its last job, kept for the next job. */
let idle: { worker: Worker; code: string } | undefined;

/** `Host.inThread`, with the signal that interrupts it as a parameter. */
export function inThread(
  thread: ThreadCode,
  job: unknown,
  ms: number,
  interrupted: AbortSignal,
): Promise<unknown> {
  const worker = idle?.code === thread.code ? idle.worker : startWorker(thread.code, thread.data);
  idle = undefined;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void, isWhole = false) => {
      stopClock();
      interrupted.removeEventListener('abort', stop);
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
      worker.unref();
      // A thread without a job, or one that is being ended, may still fail: that error is ignored, because no job is lost.
      worker.on('error', () => {});
      worker.once('exit', () => {
        if (idle?.worker === worker) idle = undefined;
      });
      if (isWhole && idle === undefined) idle = { worker, code: thread.code };
      else void worker.terminate();
      settle();
    };
    const fail = (why: string) => end(() => reject(new Error(why)));
    const stop = () => end(() => reject(interruption(interrupted)));
    const stopClock = deadline(ms, () => fail(`it takes longer than ${ms / 1000} s`));
    interrupted.addEventListener('abort', stop, { once: true });
    worker.ref();
    worker.once('message', answer => end(() => resolve(answer), true));
    worker.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? fail('it takes too much memory') : end(() => reject(error)),
    );
    worker.once('exit', () => fail('its thread has ended'));
    worker.postMessage(job);
    if (interrupted.aborted) stop();
  });
}

/** Starts a thread. What libraries print in the thread is dropped. */
const startWorker = (code: string, workerData: unknown): Worker =>
  new Worker(code, {
    eval: true,
    workerData,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: LIMITS,
  });
