/** The one source of time for dates, ids, card expiry and dispute outcomes. */
export type Clock = () => Date;

/** The machine's own time. */
export const systemClock: Clock = () => new Date();
