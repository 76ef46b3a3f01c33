import { desktopBridge } from '../../api/desktop.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'

/** Asks before the gateway is restarted from the desktop app. */
export function RestartConfirmation({ onClose }: { onClose: () => void }) {
  return (
    <ConfirmAction
      isOpen
      title={t('ui.shell.restartTitle')}
      action={t('ui.shell.restart')}
      isBusy={false}
      error={null}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void desktopBridge?.restartGateway()
      }}
    >
      {t('ui.shell.restartAsk')}
    </ConfirmAction>
  )
}
