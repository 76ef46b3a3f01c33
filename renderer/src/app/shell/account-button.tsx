import { Button } from '@mantine/core'
import { IconChevronDown, IconUserCircle } from '@tabler/icons-react'
import type { SignedInUser } from '#shared/contract/people.ts'
import { PopupButton } from '../../ui/popup-button.tsx'
import css from './shell.module.css'

export const loadAccountMenu = async () => (await import('./account-menu.tsx')).AccountMenu

/** Who is signed in; opens what the person can do with the account and the window. */
export const AccountButton = ({ user }: { user: SignedInUser }) => (
  <PopupButton kind="menu" load={loadAccountMenu} given={{ user }}>
    <Button
      variant="subtle"
      color="gray"
      leftSection={<IconUserCircle size={18} stroke={1.7} />}
      rightSection={<IconChevronDown size={14} />}
      c="var(--mantine-color-text)"
      aria-label={`${user.firstName} ${user.lastName}`}
    >
      <span className={css.userName}>
        {user.firstName} {user.lastName}
      </span>
    </Button>
  </PopupButton>
)
