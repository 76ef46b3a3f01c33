import { note, userActor } from '#server/audit-log/audit.ts'
import type { SettingValues } from '#server/configuration/setting-queries.ts'
import type { Context } from '#server/context.ts'
import type { Certificates } from '#server/http/certificates.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { dashboardSettings } from '#shared/contract/dashboard.ts'
import { SETTING_KEYS, SETTINGS } from '#shared/contract/settings.ts'

/** Serves the window's calls about settings and the gateway's certificates. */
export function serveSettings(app: HttpApp, context: Context, certificates: Certificates): void {
  const handlers: HandlersOf<typeof dashboardSettings> = {
    settings: () => ({ settings: rowsOf(context.settings.all()) }),
    changeSettings({ body, user }) {
      context.settings.change(body.settings, userActor(user.userId))
      return { settings: rowsOf(context.settings.all()) }
    },
    certificates: () => ({ certificates: certificates.list() }),
    renewCertificate({ params, user }) {
      const certificate = certificates.renew(params.use)
      const { fingerprint256 } = certificate
      note(context, userActor(user.userId), 'certificate.renew', params.use, { fingerprint256 })
      return certificate
    },
  }
  serveAll(app, dashboardSettings, handlers, { afterChange: () => context.feed.noteStatus() })
}

/** Every setting, in the order of `SETTINGS`. */
const rowsOf = (values: SettingValues) =>
  SETTING_KEYS.map((key) => {
    const { initial, about, restart } = SETTINGS[key]
    return { key, value: values[key], initial, about, needsRestart: restart === true }
  })
