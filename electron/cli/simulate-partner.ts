import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { demoAnswers } from '#electron/simulator/demo-answers.ts'
import {
  localDay,
  openImageStore,
  openPartnerSimulator,
  openSimulatedFiles,
  type PhantomSeries,
  phantomSlice,
  phantomSopUid,
  readWorklistFile,
  SCENARIOS,
  type Scenario,
  type SimulatedFiles,
  WorklistFileError,
} from '#electron/simulator/partner.ts'
import { listenError } from '#server/http/start-error.ts'
import { secretArgumentWarning, UsageError } from './arguments.ts'
import { PARTNER_SIMULATOR_OPTIONS } from './options.ts'
import { untilStopped } from './parent-port.ts'
import { secretFrom } from './secret-option.ts'

/** The invented study that the images belong to. */
const STUDY: PhantomSeries = {
  studyInstanceUid: '2.25.20261122815',
  seriesInstanceUid: '2.25.20261122815.2',
  slices: 300,
}

/** `simulator partner`: prints one JSON line when it is listening and ends on SIGTERM. */
export async function simulatePartner(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: PARTNER_SIMULATOR_OPTIONS,
  })
  const port = Number(values.port)
  if (!values.port || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('simulator partner needs --port P, a TCP port (0 takes a free one).')
  if (!SCENARIOS.includes(values.scenario as Scenario))
    throw new UsageError(`--scenario is one of ${SCENARIOS.join(', ')}.`)
  const secret = await secretFrom('simulator partner', values)
  await using files = values.images
    ? await openSimulatedFiles({ host: values.host, clock: Date.now })
    : undefined
  await using simulator = await openPartnerSimulator({
    port,
    host: values.host,
    secret,
    scenario: values.scenario as Scenario,
    clock: Date.now,
    ...(files && { files: imagesIn(files) }),
    ...(values.demo && { answers: demoAnswers(() => localDay(Date.now())) }),
    ...(values.worklist !== undefined && { worklist: readWorklist(values.worklist) }),
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, {
      name: 'simulator’s',
      option: '--port',
      host: values.host,
      port,
    })
  })
  const stopped = untilStopped()
  process.stdout.write(
    `${JSON.stringify({ ready: true, url: simulator.url, ...(files && { files: files.host, study: STUDY.studyInstanceUid }) })}\n`,
  )
  if (values.secret !== undefined) process.stderr.write(`${secretArgumentWarning('--secret')}\n`)
  await stopped
  return 0
}

function imagesIn(files: SimulatedFiles) {
  const store = openImageStore(files)
  const numbers = Array.from({ length: STUDY.slices }, (_, index) => index + 1)
  store.add({
    studyInstanceUid: STUDY.studyInstanceUid,
    images: numbers.map((number) => ({
      sopInstanceUid: phantomSopUid(STUDY, number),
      body: () => phantomSlice(STUDY, number),
    })),
  })
  return store
}

function readWorklist(file: string): readonly unknown[] {
  try {
    return readWorklistFile(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof WorklistFileError) throw new UsageError(`--worklist: ${error.message}.`)
    throw new UsageError(
      `--worklist: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
