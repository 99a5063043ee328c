/** Closes what was started before, if the next step fails. */
export async function orClose<T>(
  step: Promise<T>,
  ...started: readonly ({ close(): Promise<void> } | undefined)[]
): Promise<T> {
  return step.catch(async (error) => {
    await Promise.all(started.map((one) => one?.close()));
    throw error;
  });
}
