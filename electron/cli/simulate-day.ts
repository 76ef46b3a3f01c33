import { parseArgs } from 'node:util'
import { Email } from '#shared/contract/people.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { hostAndPort, textFromFile, UsageError } from './arguments.ts'
import { runDemoDay } from './demo/demo-day.ts'
import { DAY_SIMULATOR_OPTIONS } from './options.ts'
import { untilStopped } from './parent-port.ts'

/** `simulator day`: plays the devices and a radiologist of an invented clinic until SIGTERM. */
export async function simulateDay(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: DAY_SIMULATOR_OPTIONS })
  const { to, window, radiologist, 'password-file': passwordFile } = values
  if (!to || !window || !URL.canParse(window))
    throw new UsageError(
      'simulator day needs --to HOST:PORT, where the gateway listens for devices, and --window URL.',
    )
  if (!Email.safeParse(radiologist).success || !passwordFile)
    throw new UsageError('simulator day needs --radiologist E-MAIL and --password-file FILE.')
  if (!AeTitle.safeParse(values['called-ae-title']).success)
    throw new UsageError('--called-ae-title takes 1 to 16 characters, such as ISTHMUS.')
  const { host = '127.0.0.1', port } = hostAndPort(to, '--to')
  const stopController = new AbortController()
  void untilStopped().then(() => stopController.abort())
  await runDemoDay({
    peer: { host, port, aeTitle: values['called-ae-title'] },
    windowUrl: new URL(window).origin,
    radiologist: {
      email: radiologist ?? '',
      password: textFromFile('--password-file', passwordFile),
    },
    clock: Date.now,
    signal: stopController.signal,
    report: (sentence) =>
      process.stdout.write(`${new Date().toTimeString().slice(0, 5)}  ${sentence}\n`),
  })
  return 0
}
