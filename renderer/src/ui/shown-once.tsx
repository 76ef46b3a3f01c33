import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './copy.tsx'

/** A value in full, with a button that copies it. `what` names it for screen readers. */
function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <Group wrap="nowrap" gap={6}>
      <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <Copy value={value} what={what} />
    </Group>
  )
}

/**
 * Something that is shown once and not kept: it closes only by the button that says it was copied.
 */
export function OneTimeValueDialog(props: {
  value: string | null
  title: string
  about: string
  what: string
  done: string
  onClose: () => void
  children?: ReactNode
}) {
  const { value, title, about, what, done, onClose, children } = props
  return (
    <Modal
      opened={value !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{about}</Text>
        <Copyable value={value ?? ''} what={what} />
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{done}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
