/** The command is not valid or cannot be performed; the message says why. */
export class OperatorError extends Error {}
