import { text } from 'node:stream/consumers'
import { textFromFile, UsageError } from './arguments.ts'

export interface SecretOptions {
  readonly secret?: string
  readonly 'secret-file'?: string
  readonly 'secret-stdin'?: boolean
}

/**
 * The secret that webhooks are signed with.
 * @throws UsageError
 */
export async function secretFrom(command: string, given: SecretOptions): Promise<string> {
  const { secret, 'secret-file': file, 'secret-stdin': isStdin } = given
  if ([secret, file, isStdin].filter((option) => option !== undefined).length > 1)
    throw new UsageError('Give one of --secret, --secret-file and --secret-stdin.')
  const found =
    file !== undefined
      ? textFromFile('--secret-file', file)
      : isStdin
        ? (await text(process.stdin)).trim()
        : secret
  // Standard Webhooks: `whsec_` followed by the base64 of 24 to 64 bytes.
  if (!found || !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(found))
    throw new UsageError(
      `${command} needs --secret-file or --secret-stdin with the secret the gateway signs with: whsec_ and the base64 of 24 to 64 bytes.`,
    )
  return found
}
