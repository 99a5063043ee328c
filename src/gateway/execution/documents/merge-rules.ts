import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  BREAK,
  getEnterLeaveForKind,
  type Kind,
  type ValidationRule,
} from 'graphql';

/** What one of several visitors does with nodes of one kind. */
interface Step {
  /** Index of the visitor. */
  readonly index: number;
  readonly enter: ASTVisitFn<ASTNode> | undefined;
  readonly leave: ASTVisitFn<ASTNode> | undefined;
}

/**
 * Merges several validation rules into one, with the same errors in the same order. For each
 * document and each rule, `validate` looks up what the rule does with each kind of node,
 * which takes as long as the rest of the validation. The merged rule looks up only the kinds that
 * the document contains. No rule may change the document.
 */
export function mergeRules(rules: readonly ValidationRule[]): ValidationRule {
  return (context) => {
    const visitors = rules.map((rule) => rule(context));
    const byKind = new Map<Kind, readonly Step[]>();
    /** For each visitor, the node whose content it skips, or `BREAK` when it has ended. */
    const skipped: unknown[] = visitors.map(() => undefined);

    function stepsFor({ kind }: ASTNode): readonly Step[] {
      let steps = byKind.get(kind);
      if (steps === undefined) {
        steps = toSteps(visitors, kind);
        byKind.set(kind, steps);
      }
      return steps;
    }
    return {
      enter: (...at) => {
        const [node] = at;
        for (const { index, enter } of stepsFor(node)) {
          if (enter === undefined || skipped[index] !== undefined) continue;
          const result = enter(...at);
          if (result === false) skipped[index] = node;
          else if (result === BREAK) skipped[index] = BREAK;
        }
      },
      leave: (...at) => {
        const [node] = at;
        for (const { index, leave } of stepsFor(node)) {
          if (skipped[index] === node) skipped[index] = undefined;
          else if (skipped[index] === undefined && leave?.(...at) === BREAK) skipped[index] = BREAK;
        }
      },
    };
  };
}

function toSteps(visitors: readonly ASTVisitor[], kind: Kind): Step[] {
  return visitors.flatMap((visitor, index) => {
    const { enter, leave } = getEnterLeaveForKind(visitor, kind);
    if (enter === undefined && leave === undefined) return [];
    return { index, enter: enter?.bind(visitor), leave: leave?.bind(visitor) };
  });
}
