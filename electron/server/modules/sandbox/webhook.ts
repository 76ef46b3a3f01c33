import type { Actor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { newSecret, readPartner, setPartner } from '#server/modules/partners/service.ts'
import type { SandboxState } from '#shared/contract/sandbox.ts'

/** By this path the sandbox knows its own simulator again, whatever its port is. */
export const SIMULATED_PATH = '/simulated-partner'

export const isSimulatorUrl = (url: string): boolean => new URL(url).pathname === SIMULATED_PATH

/** Where the events of the sandbox go; null before the first. */
export function webhookOf(context: Context): SandboxState['webhook'] {
  const { url } = readPartner(context)
  return url === null ? null : { url, isSimulated: isSimulatorUrl(url) }
}

/**
 * Sets where the events of the sandbox go. A new host gets a new secret, if none is given: several
 * integrators may try their systems one after the other.
 * @returns `secret` if it was generated
 * @throws ApiError malformed, refused
 */
export function setWebhook(
  context: Context,
  {
    url,
    secret,
    allowPlaintext,
  }: {
    readonly url: string
    readonly secret?: string | undefined
    readonly allowPlaintext: boolean
  },
  actor: Actor,
): { readonly url: string; readonly secret: string | null } {
  const before = readPartner(context).url
  const isSameHost =
    before !== null && URL.canParse(url) && new URL(before).origin === new URL(url).origin
  const generatedSecret = secret === undefined && !isSameHost ? newSecret() : null
  const set = setPartner(
    context,
    { url, secret: secret ?? generatedSecret ?? undefined, allowPlaintext },
    actor,
  )
  return { url: set.url ?? url, secret: generatedSecret ?? set.secret }
}
