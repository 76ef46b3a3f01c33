import { ApiError } from '#shared/errors.ts'
import { portHolder } from './port-holder.ts'
import { StoreError } from './store/store-error.ts'

/** A start that failed for a reason a person can mend: the message is one sentence that names it. */
export class StartError extends Error {
  override name = 'StartError'
}

/** The words of a failure that a person can mend; undefined for a fault of ours. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof StartError || error instanceof StoreError) return error.message
  if (!(error instanceof ApiError)) return undefined
  return [error.message, ...error.errors.map((fault) => `  ${fault.path}: ${fault.message}`)].join('\n')
}

/** Words for a listener that could not be opened; names the program that holds the port where it can be told. */
export async function listenError(
  error: NodeJS.ErrnoException,
  listener: { name: string; flag: string; host: string; port: number },
): Promise<Error> {
  const { name, flag, host, port } = listener
  const where = `The ${name} listener cannot use ${host}:${port}`
  switch (error.code) {
    case 'EADDRINUSE': {
      const holder = await portHolder(port)
      const by = holder ? `${holder.name} (process ${holder.pid})` : 'another program'
      return new StartError(`${where}: ${by} already uses that port. End it or choose another port with ${flag} HOST:PORT.`)
    }
    case 'EACCES':
      return new StartError(`${where}: this account may not open that port. Choose a port above 1023 with ${flag} HOST:PORT.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${where}: this PC does not have that address. Choose one it has with ${flag} HOST:PORT.`)
    default:
      return error
  }
}
