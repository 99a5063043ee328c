/** What upkeep walks: outcomes that a look may decide, and events by age. */
export const upkeep: readonly string[] = [
  `CREATE INDEX money_undecided ON money_operation (id)
    WHERE state = 'UNKNOWN' AND NOT needs_operator`,
  `CREATE INDEX money_operation_event_at ON money_operation_event (at)`,
];
