import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openPartnerSimulator, readWorklistFile, SCENARIOS, type Scenario, WorklistFileError } from '#electron/simulator/partner.ts'
import { listenError } from '#gateway/start-error.ts'
import { untilStopped } from './until-stopped.ts'
import { UsageError } from './words.ts'

/** `simulator partner`: prints one JSON line when it listens, ends at SIGTERM. */
export async function simulatePartner(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      secret: { type: 'string' },
      worklist: { type: 'string' },
      scenario: { type: 'string', default: 'normal' },
    },
  })
  const port = Number(values.port)
  if (!values.port || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('simulator partner needs --port P, a TCP port (0 takes a free one).')
  // Standard Webhooks: whsec_ and the base64 of 24 to 64 bytes.
  if (!values.secret || !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(values.secret))
    throw new UsageError('simulator partner needs --secret, the one the gateway signs with: whsec_ and the base64 of 24 to 64 bytes.')
  if (!SCENARIOS.includes(values.scenario as Scenario)) throw new UsageError(`--scenario is one of ${SCENARIOS.join(', ')}.`)
  await using simulator = await openPartnerSimulator({
    port,
    host: values.host,
    secret: values.secret,
    scenario: values.scenario as Scenario,
    clock: Date.now,
    ...(values.worklist !== undefined && { worklist: readWorklist(values.worklist) }),
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, { name: 'simulator’s', option: '--port', host: values.host, port })
  })
  process.stdout.write(`${JSON.stringify({ ready: true, url: simulator.url })}\n`)
  await untilStopped()
  return 0
}

function readWorklist(file: string): readonly unknown[] {
  try {
    return readWorklistFile(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof WorklistFileError) throw new UsageError(`--worklist: ${error.message}.`)
    throw new UsageError(`--worklist: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
