import '../theme.css'
