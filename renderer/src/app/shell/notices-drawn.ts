/** What draws notices; what tells of them is everywhere, and small. */
export { Notifications } from '@mantine/notifications'
