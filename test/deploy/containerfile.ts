import { read } from './manifests.ts';

/** A step of a Containerfile. */
interface Step {
  readonly instruction: string;
  readonly text: string;
}

/** The steps of each stage of `deploy/Containerfile`, and those before the first. */
function readStages(): Step[][] {
  const stages: Step[][] = [[]];
  const lines = read('deploy/Containerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const line of lines) {
    const [instruction = '', ...rest] = line.trim().split(/\s+/);
    if (instruction === 'FROM') stages.push([]);
    stages.at(-1)?.push({ instruction, text: rest.join(' ') });
  }
  return stages;
}

const [before = [], build = [], run = [], ...others] = readStages();
if (others.length > 0) throw new Error('The tests expect two stages.');

/** The texts of an instruction in a stage. */
function textsOf(steps: readonly Step[], instruction: string): string[] {
  return steps.filter((step) => step.instruction === instruction).map(({ text }) => text);
}

/** The only text of an instruction of the image that runs, which must be a list of words. */
function wordsOf(instruction: string): readonly string[] {
  const [text = '', ...more] = textsOf(run, instruction);
  if (more.length > 0) throw new Error(`There is more than one ${instruction}.`);
  return JSON.parse(text.slice(text.indexOf('[')));
}

/** What the tests read of `deploy/Containerfile`. */
export const image = {
  /** The images that it is built from. */
  bases: textsOf(before, 'ARG').map((text) => text.slice(text.indexOf('=') + 1)),
  /** Paths in the project that are copied into it. */
  copied: textsOf(build, 'COPY').flatMap((text) => text.split(' ').slice(0, -1)),
  /** Instructions of the image that runs. */
  instructions: run.map(({ instruction }) => instruction),
  commands: textsOf(build, 'RUN').flatMap((text) => text.split(' && ')),
  user: Number(textsOf(run, 'USER')[0]?.split(':')[0]),
  environment: Object.fromEntries(
    textsOf(run, 'ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('='))),
  ),
  entrypoint: wordsOf('ENTRYPOINT'),
  command: wordsOf('CMD'),
  healthCheck: wordsOf('HEALTHCHECK'),
};
