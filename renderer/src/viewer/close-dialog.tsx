import { useMutation } from '@tanstack/react-query'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../client.ts'
import { Confirm } from '../components/confirm.tsx'
import { call } from './calls.ts'
import { useBench, useDesk } from './desk-context.ts'
import { words } from './words.ts'

const { close: texts } = words

/** Ends the view: on a PC that several people use, the images are not left open. */
export function CloseDialog({ onClosed }: { onClosed: (sentence: string) => void }) {
  const { desk, list, drawings } = useBench()
  const isOpen = useDesk((state) => state.isClosing)
  const close = useMutation<unknown, ProblemError>({
    mutationFn: async () => {
      await drawings.flush()
      await call(viewing.close, { params: { viewId: desk.view.viewId } })
    },
    onSuccess: () => {
      list.close()
      window.history.replaceState(null, '', '/viewer')
      onClosed(texts.closed)
    },
  })
  return (
    <Confirm
      isOpen={isOpen}
      title={texts.title}
      action={texts.action}
      keep={texts.keep}
      isBusy={close.isPending}
      error={close.error}
      onConfirm={() => close.mutate()}
      onClose={() => desk.set({ isClosing: false })}
    >
      {texts.text}
    </Confirm>
  )
}
