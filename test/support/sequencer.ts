import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The projects in the order in which they begin. The last one has many short files, so all
 * processes work until the end, and packages for others are installed before it.
 */
const PROJECTS = [
  ...['programs', 'browser', 'schema', 'docs', 'sandbox on PGlite'],
  ...['consumer', 'dashboard', 'in process'],
];
/** What takes half a minute or more. */
const LONG =
  /program\/(start|workers)|telemetry\/metrics|money\/(operator-process|killed-gateway)|gateway\/fault-table/;

/** Begins the tests of each project with its longest files. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project, moduleId }: TestSpecification) =>
      2 * PROJECTS.indexOf(project.name) + (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
