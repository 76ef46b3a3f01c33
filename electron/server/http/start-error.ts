import { StoreError } from '#server/database/store-error.ts'
import { ApiError } from '#shared/errors.ts'
import { portHolder } from './port-holder.ts'

/**
 * A start that failed for a reason a person can mend: the message is one sentence that names it.
 */
export class StartError extends Error {
  override name = 'StartError'
}

/** The words of a failure that a person can mend; undefined for a fault of ours. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof StartError || error instanceof StoreError) return error.message
  if (!(error instanceof ApiError)) return undefined
  // A message that says it all is not said twice.
  const unsaid = error.errors.filter((fault) => !error.message.includes(fault.message))
  return [error.message, ...unsaid.map((fault) => `  ${fault.path}: ${fault.message}`)].join('\n')
}

/**
 * Words for a listener that could not be opened; names the program that holds the port where it can
 * be told.
 * @param listener its name, and the option that gives it another place, such as `--http HOST:PORT`
 */
export async function listenError(
  error: NodeJS.ErrnoException,
  listener: {
    readonly name: string
    readonly option: string
    readonly host: string
    readonly port: number
  },
): Promise<Error> {
  const { name, option, host, port } = listener
  const where = `The ${name} listener cannot use ${host}:${port}`
  switch (error.code) {
    case 'EADDRINUSE': {
      const holder = await portHolder(port)
      const by = holder ? `${holder.name} (process ${holder.pid})` : 'another program'
      return new StartError(
        `${where}: ${by} already uses that port. End it or choose another port with ${option}.`,
      )
    }
    case 'EACCES':
      return new StartError(
        `${where}: this account may not open that port. Choose a port above 1023 with ${option}.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return new StartError(
        `${where}: this PC does not have that address. Choose one it has with ${option}.`,
      )
    default:
      return error
  }
}
