import type { AmountFragment } from './gql/graphql.ts';
import { showAmount } from './money.ts';

/** What happened on a day. */
interface Day {
  readonly date: string;
  readonly captured: AmountFragment | undefined;
  readonly refunded: AmountFragment | undefined;
}

const HEIGHT = 120;
const STEP = 24;

const sizeOf = (amount: AmountFragment | undefined) => Math.abs(amount?.minorUnits ?? 0);

const show = (amount: AmountFragment | undefined) => (amount ? showAmount(amount) : 'nothing');

/** Bars for each day: what was captured, and beside it what was refunded. */
export function Chart({ name, days }: { name: string; days: readonly Day[] }) {
  const largest = Math.max(
    1,
    ...days.flatMap((day) => [sizeOf(day.captured), sizeOf(day.refunded)]),
  );
  const bar = (amount: AmountFragment | undefined, x: number, kind: string) => {
    const height = (sizeOf(amount) / largest) * HEIGHT;
    return <rect className={kind} x={x} y={HEIGHT - height} width={9} height={height} />;
  };
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <svg role="img" aria-label={name} viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 16}`}>
        {days.map(({ date, captured, refunded }, index) => (
          <g key={date}>
            <title>{`${date}: captured ${show(captured)}, refunded ${show(refunded)}`}</title>
            {bar(captured, index * STEP + 2, 'captured')}
            {bar(refunded, index * STEP + 12, 'refunded')}
            <text x={index * STEP + 11} y={HEIGHT + 13}>
              {date.slice(8)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}
