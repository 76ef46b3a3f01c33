import { sendCommand } from '#server/modules/control/control.ts'
import { ShellStatus } from '#shared/contract/shell.ts'

const POLL_MS = 10_000

export interface StatusWatch extends Disposable {
  /** Queries the status immediately. */
  now(): Promise<ShellStatus | undefined>
  /** The last status of the gateway; undefined while it does not answer. */
  latest(): ShellStatus | undefined
}

/** Queries the gateway's status every ten seconds through its control socket. */
export function watchStatus(
  folder: string,
  onStatus: (status: ShellStatus | undefined) => void,
): StatusWatch {
  let latest: ShellStatus | undefined
  let pending: Promise<ShellStatus | undefined> | undefined
  const poll = () => {
    pending ??= queryStatus(folder).then((status) => {
      pending = undefined
      latest = status
      onStatus(status)
      return status
    })
    return pending
  }
  const timer = setInterval(() => void poll(), POLL_MS)
  return { now: poll, latest: () => latest, [Symbol.dispose]: () => clearInterval(timer) }
}

async function queryStatus(folder: string): Promise<ShellStatus | undefined> {
  try {
    const { ok, output } = await sendCommand(folder, { command: 'status' })
    return ok ? ShellStatus.parse(JSON.parse(output)) : undefined
  } catch {
    return undefined
  }
}
