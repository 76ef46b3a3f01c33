import { Button, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconFolder, IconLogout, IconRotateClockwise, IconUserCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { Confirm } from '../components/confirm.tsx'
import { useSend } from '../gateway.ts'
import { native } from '../native.ts'
import { mayManage, useEnter, useSession } from '../session.ts'
import { words } from './words.ts'

/** Who is signed in; signing out; what only the desktop app can do. */
export function AccountMenu({ user }: { user: SignedInUser }) {
  const session = useSession()
  const enter = useEnter()
  const signOut = useSend(dashboard.signOut)
  const [asksRestart, setAsksRestart] = useState(false)
  const leave = () =>
    signOut.mutate(
      {},
      {
        onSuccess: () => {
          if (session.data) enter({ ...session.data, user: null })
        },
      },
    )

  return (
    <>
      <Menu withinPortal={false} withInitialFocusPlaceholder={false} position="bottom-end" width={230}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconUserCircle size={18} stroke={1.7} />}
            rightSection={<IconChevronDown size={14} />}
            c="var(--mantine-color-text)"
          >
            {user.firstName} {user.lastName}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Text size="sm" px="sm" pt={6} fw={560} truncate>
            {user.email}
          </Text>
          <Text size="xs" px="sm" pb={6} c="dimmed">
            {user.level[0]?.toUpperCase()}
            {user.level.slice(1)} · {user.clinicRole}
          </Text>
          <Menu.Divider />
          {native && mayManage(user) && (
            <>
              <Menu.Item leftSection={<IconFolder size={16} />} onClick={() => void native?.openDataFolder()}>
                {words.dataFolder}
              </Menu.Item>
              <Menu.Item leftSection={<IconRotateClockwise size={16} />} onClick={() => setAsksRestart(true)}>
                {words.restart}
              </Menu.Item>
            </>
          )}
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>
            {words.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={asksRestart}
        title={words.restartTitle}
        action={words.restart}
        isBusy={false}
        error={null}
        onClose={() => setAsksRestart(false)}
        onConfirm={() => {
          setAsksRestart(false)
          void native?.restartGateway()
        }}
      >
        {words.restartAsk}
      </Confirm>
    </>
  )
}
