/** What draws tooltips, with the library that places them. */
export { Tooltip } from '@mantine/core'
