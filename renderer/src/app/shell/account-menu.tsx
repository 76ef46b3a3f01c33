import { Menu, Text } from '@mantine/core'
import {
  IconCheck,
  IconFolder,
  IconHelpCircle,
  IconKeyboard,
  IconLanguage,
  IconLock,
  IconLogout,
  IconRotateClockwise,
  IconRoute,
  IconUserCircle,
} from '@tabler/icons-react'
import { Link, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { SignedInUser } from '#shared/contract/people.ts'
import { desktopBridge } from '../../api/desktop.ts'
import { mayManage, useSession } from '../../api/session.ts'
import { chooseLanguage, LANGUAGES, type Language, language } from '../../i18n/language.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { HELP_TARGET, helpAddress } from '../../ui/help.ts'
import { KeyNames } from '../../ui/key-names.tsx'
import type { PopupProps } from '../../ui/popup-button.tsx'
import { saveBeforeLeaving, useSignOut } from './leave.ts'
import { lockWindow } from './lock.ts'
import { showShortcutSheet } from './overlays.tsx'

const RestartConfirmation = lazy(async () => ({
  default: (await import('./restart-ask.tsx')).RestartConfirmation,
}))

/** Who is signed in; signing out; what only the desktop app can do. */
export function AccountMenu({
  user,
  children,
  ...popup
}: PopupProps & { readonly user: SignedInUser }) {
  const offersTour = useSession().data?.offersTour === true
  const { leave, isLeaving } = useSignOut()
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  const [asksRestart, setAsksRestart] = useState(false)
  const [asksLeave, setAsksLeave] = useState(false)
  const signOut = async () => {
    if (await saveBeforeLeaving()) leave()
    else setAsksLeave(true)
  }

  return (
    <>
      <Menu
        {...popup}
        withinPortal={false}
        withInitialFocusPlaceholder={false}
        position="bottom-end"
        width={250}
      >
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          <AccountSummary user={user} />
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconUserCircle size={16} />}
            renderRoot={(props) => <Link to="/account" {...props} />}
          >
            {t('ui.shell.account')}
          </Menu.Item>
          {offersTour && (
            <Menu.Item
              leftSection={<IconRoute size={16} />}
              renderRoot={(props) => <Link to="/tour" {...props} />}
            >
              {t('ui.shell.tour')}
            </Menu.Item>
          )}
          <Menu.Item
            component="a"
            href={helpAddress(path)}
            target={HELP_TARGET}
            leftSection={<IconHelpCircle size={16} />}
            rightSection={<KeyNames keys="f1" />}
          >
            {t('ui.shell.help')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconKeyboard size={16} />}
            onClick={showShortcutSheet}
            rightSection={<KeyNames keys="?" />}
          >
            {t('ui.shell.shortcuts')}
          </Menu.Item>
          <Menu.Divider />
          <LanguageMenu />
          <Menu.Divider />
          {desktopBridge && mayManage(user) && (
            <>
              <Menu.Item
                leftSection={<IconFolder size={16} />}
                onClick={() => void desktopBridge?.openDataFolder()}
              >
                {t('ui.shell.dataFolder')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconRotateClockwise size={16} />}
                onClick={() => setAsksRestart(true)}
              >
                {t('ui.shell.restart')}
              </Menu.Item>
            </>
          )}
          <Menu.Item
            leftSection={<IconLock size={16} />}
            onClick={lockWindow}
            rightSection={<KeyNames keys="mod+l" />}
          >
            {t('ui.shell.lock')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
            {t('ui.shell.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmAction
        isOpen={asksLeave}
        title={t('ui.shell.leaveUnsaved')}
        action={t('ui.shell.signOut')}
        keep={t('ui.shell.leaveUnsavedKeep')}
        isBusy={isLeaving}
        error={null}
        onConfirm={leave}
        onClose={() => setAsksLeave(false)}
      >
        {t('ui.shell.leaveUnsavedText')}
      </ConfirmAction>
      {asksRestart && (
        <Suspense>
          <RestartConfirmation onClose={() => setAsksRestart(false)} />
        </Suspense>
      )}
    </>
  )
}

/** By which address they are signed in, and what they are here. */
function AccountSummary({ user }: { user: SignedInUser }) {
  return (
    <>
      <Text size="sm" px="sm" pt={6} fw={560} truncate>
        {user.email}
      </Text>
      <Text size="xs" px="sm" pb={6} c="dimmed">
        {t(`ui.shell.level.${user.level}`)} · {user.clinicRole}
      </Text>
    </>
  )
}

function LanguageMenu() {
  return (
    <>
      <Menu.Label>{t('ui.shell.language')}</Menu.Label>
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <Menu.Item
          key={code}
          lang={code}
          leftSection={<IconLanguage size={16} />}
          rightSection={
            code === language ? <IconCheck size={15} aria-label={t('ui.shell.chosen')} /> : null
          }
          onClick={() => chooseLanguage(code as Language)}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  )
}
