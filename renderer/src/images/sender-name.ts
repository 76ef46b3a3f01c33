import { OWN_DEVICE_NAME } from '#shared/contract/images.ts'
import { words } from './words.ts'

/** Who sent the images of a study, where the device has a name. */
export const senderName = (deviceName: string): string =>
  deviceName === OWN_DEVICE_NAME ? words.thisGateway : deviceName
