import { type DiskForecast, fullSoonWarning } from '#server/modules/images/disk-forecast.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { may, type Rights } from '#shared/lifecycle.ts'
import { sentences } from '#shared/messages/message.ts'

/**
 * Items about faults of the disk. While its state is fine, users who manage the gateway see the
 * forecast that it will be full soon.
 */
export function diskItems({
  storage: { state, detail },
  records,
  forecast,
  person,
}: {
  readonly storage: Status['storage']
  readonly records?: Status['records']
  readonly forecast: DiskForecast
  readonly person: Rights
}) {
  const fullSoonNotice = may(person, 'manageGateway') ? fullSoonWarning(forecast) : undefined
  return [
    ...(records && records.state !== 'ok'
      ? [{ tone: 'danger', since: records.since, detail: records.detail } as const]
      : []),
    ...(state === 'ok' ? [] : [{ tone: state === 'low' ? 'warning' : 'danger', detail } as const]),
    ...(state === 'ok' && fullSoonNotice
      ? [
          {
            tone: 'info',
            detail: sentences(fullSoonNotice.sentence, fullSoonNotice.remedy),
          } as const,
        ]
      : []),
  ]
}
