/** One thing that can be picked from a list. */
export interface Choice {
  /** What the answer is when it is picked. */
  value: string;
  /** One line. */
  name: string;
  /** An explanation, shown while it is the one that would be picked. */
  description?: string;
  /** Why it cannot be picked. */
  disabled?: string;
}

interface QuestionBase {
  /** Which question it is: the path of a field, or a name of its own. */
  id: string;
  message: string;
  /** Lines that stand above the question: an explanation, the words of the service. */
  hint?: string;
}

/** What is wrong with an answer; `undefined` where nothing is. */
export type Check = (text: string) => string | undefined | Promise<string | undefined>;

/** A question to a person. What the text says comes from anywhere: whoever draws it makes it safe for a terminal. */
export type Question =
  | (QuestionBase & {
      kind: 'text';
      /** What Enter alone answers. */
      defaultAnswer?: string;
      /** What is there, to be edited in place; emptied, the answer is ''. */
      value?: string;
      check: Check;
    })
  | (QuestionBase & {
      /** Typed without being shown. */
      kind: 'secret';
      check: Check;
    })
  | (QuestionBase & { kind: 'choice'; choices: readonly Choice[]; defaultAnswer?: string })
  | (QuestionBase & {
      /** A choice among many: `find` gives those that fit what was typed so far, the best first. */
      kind: 'search';
      find(term: string): Promise<readonly Choice[]>;
      defaultAnswer?: string;
    })
  /** Answered with `yes` or `no`; No unless a person says yes. */
  | (QuestionBase & { kind: 'confirm' });

/** What was answered, or `undefined` where the person wants to go back to the question before. */
export type Answer = string | undefined;

/** `drawn`: lists to move in, answers edited in place. `plain`: one line after the other, nothing ever redrawn. */
export type PromptStyle = 'drawn' | 'plain';
