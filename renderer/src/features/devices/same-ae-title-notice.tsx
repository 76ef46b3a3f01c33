import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { useReply } from '../../api/queries.ts'
import { nameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import { withSameAeTitle } from './same-ae-title.ts'

/** Says for which device a connection is taken, where two share an AE title. */
export function SameAeTitleNotice(
  edited: Pick<Device, 'aeTitle' | 'address'> & { deviceId?: string },
) {
  const devices = useReply(dashboard.devices, {})
  return withSameAeTitle(edited, devices.data?.devices ?? []).map(
    ({ other, address, isOfOther }) => (
      <Notice
        key={other.deviceId}
        tone="warning"
        title={t('ui.devices.sameAeTitle.title', { name: nameOf(other) })}
      >
        {t(`ui.devices.sameAeTitle.${isOfOther ? 'other' : 'this'}`, {
          name: nameOf(other),
          address,
        })}
      </Notice>
    ),
  )
}
