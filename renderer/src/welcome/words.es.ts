import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Configurar esta pasarela',
  foot: 'Primer inicio',
  noLink: {
    intro:
      'Esta pasarela aún no tiene ninguna cuenta. La primera se crea con un enlace de un solo uso, para que nadie más de la red pueda apropiársela.',
    steps: [
      'En la aplicación Isthmus: el enlace se abre solo en el primer inicio. Si se cerró, inicie la aplicación otra vez.',
      'Sin la aplicación, en el PC de la pasarela, siendo DIR su carpeta de datos:',
    ],
    command: 'npm run -s gateway -- sign-in-link --data DIR',
    what: 'la orden',
    after: 'Abra en este navegador el enlace que imprime. Vale una vez y poco tiempo.',
  },
  intro:
    'Cree la cuenta del propietario, que añade dispositivos, configura el socio y da acceso a los demás.',
  clinicName: 'Nombre de la clínica',
  clinicNameAbout: 'Aparece en esta ventana y se da a los dispositivos como institución.',
  firstName: 'Nombre',
  lastName: 'Apellidos',
  email: 'Correo electrónico',
  emailAbout: 'Con él se inicia sesión.',
  role: 'Su función en la clínica',
  password: 'Contraseña',
  passwordAbout: 'Al menos 10 caracteres. Lo mejor son varias palabras seguidas.',
  submit: 'Crear la cuenta y entrar',
}
