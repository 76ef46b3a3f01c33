import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import { UsageError } from './arguments.ts'

/**
 * Replaces the references of `secrets` in a configuration file by the values, which are read here,
 * where the environment, the relative paths and the permissions of the caller apply:
 *
 *     secrets:
 *       oidc.clientSecret: { env: OIDC_CLIENT_SECRET }
 *       mail.password: { file: ../secrets/mail }
 *
 * A value in the file itself is refused, because the file is meant for version control.
 * @param folder of the file, which relative paths start from
 */
export function withSecrets(
  text: string,
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const document = parseDocument(text)
  // The gateway explains what is wrong with the file.
  const secrets = document.errors.length === 0 ? document.get('secrets') : undefined
  if (!isMap(secrets)) return text
  for (const { key, value } of secrets.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    const reference: unknown = isMap(value) ? value.toJS(document) : undefined
    secrets.set(key, secretOf(name, reference, folder, environment))
  }
  return document.toString({ lineWidth: 0 })
}

function secretOf(
  name: string,
  reference: unknown,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const [entry, ...others] = Object.entries(reference ?? {}) as [string, unknown][]
  const [kind, from] = entry ?? []
  if (others.length > 0 || typeof from !== 'string' || (kind !== 'env' && kind !== 'file'))
    throw new UsageError(
      `secrets.${name} has to be { env: NAME } or { file: PATH }; a secret does not stand in the file.`,
    )
  if (kind === 'env') {
    const value = environment[from]
    if (!value) throw new UsageError(`secrets.${name}: the environment has no ${from}.`)
    return value
  }
  const path = resolve(folder, from)
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new UsageError(`secrets.${name}: ${path} cannot be read.`)
  }
}
