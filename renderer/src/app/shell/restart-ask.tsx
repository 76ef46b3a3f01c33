import { desktopBridge } from '../../api/desktop.ts'
import { t } from '../../i18n/t.ts'
import { Confirm } from '../../ui/confirm.tsx'

/** Asks before the gateway is restarted from the desktop app. */
export function RestartAsk({ onClose }: { onClose: () => void }) {
  return (
    <Confirm
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
    </Confirm>
  )
}
