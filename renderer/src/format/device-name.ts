import type { Device } from '#shared/contract/devices.ts'

type Named = Pick<Device, 'name' | 'aeTitle'>

/** What a device is called: by its AE title where it has no name. */
export const nameOf = ({ name, aeTitle }: Named): string => name || aeTitle

/** The same with the AE title, where one device is to be told from all others. */
export const fullNameOf = ({ name, aeTitle }: Named): string =>
  name ? `${name} (${aeTitle})` : aeTitle
