import { type Actor, note } from '#server/audit-log/audit.ts'
import { readBoundSecret } from '#server/configuration/bound-secrets.ts'
import { readSecret, storeSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { OTLP_SECRET, setOtlpSecret } from '#server/modules/diagnostics/otlp-export.ts'
import { DICTATION_SECRET, setDictationSecret } from '#server/modules/dictation/speech-engine.ts'
import { endpointSecrets } from '#server/modules/partners/queries.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { MAIL_PASSWORD } from '#server/modules/settings/mail-server.ts'
import { PROVIDER_SECRET_NAME, setProviderSecret } from '#server/modules/users/identity-provider.ts'

/** The secrets that the configuration file of a site may refer to. */
export const SITE_SECRET_NAMES = [
  'partner.signingSecret',
  'mail.password',
  'dictation.secret',
  'oidc.clientSecret',
  'otlp.authorization',
] as const

interface SiteSecret {
  readonly name: (typeof SITE_SECRET_NAMES)[number]
  readonly current: (context: Context) => string | undefined
  readonly set: (context: Context, secret: string, actor: Actor) => void
}

const originOf = (url: string | null) => (url === null ? null : new URL(url).origin)

/** All but the signing secret, which is set together with the address of the partner. */
export const SITE_SECRETS: readonly SiteSecret[] = [
  {
    name: 'mail.password',
    current: (context) => readSecret(context, MAIL_PASSWORD),
    set(context, secret, actor) {
      storeSecret(context, MAIL_PASSWORD, secret)
      note(context, actor, 'mail.password', MAIL_PASSWORD, { password: 'set' })
    },
  },
  {
    name: 'dictation.secret',
    current: (context) =>
      readBoundSecret(context, DICTATION_SECRET, originOf(context.settings.get('dictation.url'))),
    set: setDictationSecret,
  },
  {
    name: 'oidc.clientSecret',
    current: (context) =>
      readBoundSecret(context, PROVIDER_SECRET_NAME, context.settings.get('oidc.issuer')),
    set: setProviderSecret,
  },
  {
    name: 'otlp.authorization',
    current: (context) =>
      readBoundSecret(context, OTLP_SECRET, originOf(context.settings.get('otlp.url'))),
    set: setOtlpSecret,
  },
]

/** The newest signing secret of the default endpoint. */
export function partnerSecret(database: Database): string | undefined {
  const endpoint = defaultEndpoint(database)
  return endpoint && endpointSecrets(database, endpoint.endpointId)[0]?.secret
}
