/** The only source of the current time: for dates, ids, card expiry and dispute outcomes. */
export type Clock = () => Date;

/** Returns the time of the machine. */
export const systemClock: Clock = () => new Date();
