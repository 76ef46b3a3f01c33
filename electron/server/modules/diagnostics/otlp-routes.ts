import { userActor } from '#server/audit-log/audit.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardOtlpExport } from '#shared/contract/otlp-export.ts'
import type { OtlpExport } from './otlp-export.ts'

/** Serves the calls of the settings screen about the export to OpenTelemetry. */
export function serveOtlpExport(app: HttpApp, otlp: OtlpExport): void {
  serveAll(app, dashboardOtlpExport, {
    state() {
      const { at, isOk, dropped } = otlp.state
      return {
        hasSecret: otlp.hasSecret,
        lastAt: at === null ? null : instantOf(at),
        isOk,
        dropped,
      }
    },
    setSecret({ body: { secret }, user }) {
      otlp.setSecret(secret, userActor(user.userId))
      return { success: true as const }
    },
  })
}
