import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The projects in the order in which they begin: packages for the last one are installed before. */
const PROJECTS = ['sandbox on PGlite', 'tests', 'consumer'];
/** What takes half a minute or more. */
const LONG =
  /(dashboard|program\/(start|workers)|telemetry\/metrics|browser\/(graphiql|control-page|accessibility|recurring-flow)|money\/(operator-process|killed-gateway)|consumer\/(types|documents|subscriptions)|gateway\/fault-table|long\/(soak|money-writers))\.test/;

/** Begins the tests of each project with its longest files. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project, moduleId }: TestSpecification) =>
      2 * PROJECTS.indexOf(project.name) + (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
