import { StoreError } from '#server/database/store-error.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { type MessageCode, type MessageParams, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { portHolder } from './port-holder.ts'

/** A failure to start that a person can fix, described in one sentence. */
export class StartError extends MessageError {
  override name = 'StartError'
}

/** The English text of a failure that a person can fix; undefined for an internal error. */
export function userErrorText(error: unknown): string | undefined {
  if (error instanceof StartError || error instanceof StoreError) return error.message
  if (!(error instanceof ApiError)) return undefined
  // Faults already contained in the message are not repeated.
  const faults = error.errors.map(({ path, message }) => ({ path, text: englishText(message) }))
  const otherFaults = faults.filter(({ text }) => !error.message.includes(text))
  return [error.message, ...otherFaults.map(({ path, text }) => `  ${path}: ${text}`)].join('\n')
}

/**
 * Explains why a listener could not be opened, naming the program that holds the port if it can be
 * determined.
 * @param listener its name, and the option that changes its address, such as `--http HOST:PORT`
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
  const fault = (code: MessageCode, by: MessageParams = {}) =>
    new StartError(message(code, { name, host, port, option, ...by }))
  switch (error.code) {
    case 'EADDRINUSE': {
      const holder = await portHolder(port)
      return holder
        ? fault('http.port-used-by', { holder: holder.name, process: holder.pid })
        : fault('http.port-used')
    }
    case 'EACCES':
      return fault('http.port-not-allowed')
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return fault('http.address-not-here')
    default:
      return error
  }
}
