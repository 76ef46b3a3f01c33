import { useMutation } from '@tanstack/react-query'
import { viewing } from '#shared/contract/viewing.ts'
import { viewBase } from '#shared/view-paths.ts'
import type { ProblemError } from '../api/client.ts'
import { t } from '../i18n/t.ts'
import { ConfirmAction } from '../ui/confirm.tsx'
import { call } from './calls.ts'
import { useViewerContext, useViewerState } from './viewer-context.ts'

/** Ends the view: on a PC that several people use, the images are not left open. */
export function CloseDialog({ onClosed }: { onClosed: (sentence: string) => void }) {
  const { viewerStore, list, drawings, windows } = useViewerContext()
  const isOpen = useViewerState((state) => state.isClosing)
  // Drawings of a view without an account end with it.
  const isLost = viewerStore.view.kind !== 'window' && viewerStore.view.user === null
  const close = useMutation<unknown, ProblemError>({
    mutationFn: async () => {
      await drawings.flush()
      await call(viewing.close, { params: { viewId: viewerStore.view.viewId } })
    },
    onSuccess: () => {
      windows.post({ kind: 'ended' })
      list.close()
      window.history.replaceState(null, '', `${viewBase}/viewer`)
      onClosed(t('ui.viewer.close.closed'))
    },
  })
  return (
    <ConfirmAction
      isOpen={isOpen}
      title={t('ui.viewer.close.title')}
      action={t('ui.viewer.close.action')}
      keep={t('ui.viewer.close.keep')}
      isBusy={close.isPending}
      error={close.error}
      onConfirm={() => close.mutate()}
      onClose={() => viewerStore.set({ isClosing: false })}
    >
      {t(isLost ? 'ui.viewer.close.textUnsaved' : 'ui.viewer.close.text')}
    </ConfirmAction>
  )
}
