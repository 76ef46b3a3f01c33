import { OWN_DEVICE_NAME } from '#shared/contract/images.ts'
import { t } from '../../i18n/t.ts'

/** Who sent the images of a study, where the device has a name. */
export const senderName = (deviceName: string): string =>
  deviceName === OWN_DEVICE_NAME ? t('ui.images.thisGateway') : deviceName
