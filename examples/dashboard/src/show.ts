const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A point in time, in the time zone of this browser. */
export const showTime = (instant: string) => time.format(new Date(instant));

/** A value of an enum: `Partially refunded`. */
export const showName = (name: string) =>
  name[0] + name.slice(1).toLowerCase().replaceAll('_', ' ');
