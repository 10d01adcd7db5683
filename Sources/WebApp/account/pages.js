// The pages of the account, as shell/pages.js describes them.

export const pages = [
  { name: "login", path: "/login", title: "Log in", tab: "login", load: () => import("./login.js") },
  { name: "providerlogin", path: "/login/provider", title: "Log in", tab: "login", load: () => import("./providerlogin.js") },
  { name: "register", path: "/register", title: "Register", tab: "login", load: () => import("./register.js") },
  { name: "account", path: "/account", title: "Account", tab: "account", load: () => import("./account.js") },
  { name: "settings", path: "/settings", title: "Settings", tab: "account", load: () => import("./settings.js") },
  { name: "accountsettings", path: "/settings/account", title: "Account", tab: "account", load: () => import("./accountpage.js") },
  { name: "security", path: "/settings/security", title: "Security", tab: "account", load: () => import("./security.js") },
  { name: "farewell", path: "/account/deleted", title: "Goodbye", tab: "login", load: () => import("./farewell.js") },
  { name: "reset", path: "/reset", title: "Forgot your password?", tab: "login", load: () => import("./reset.js") },
  { name: "confirm", path: "/confirm", title: "Confirm your email", tab: "account", load: () => import("./confirm.js") },
  { name: "confirmlink", path: "/confirm/:token", title: "Confirm your email", tab: "account", load: () => import("./confirm.js") },
  { name: "resetlink", path: "/reset/:token", title: "Set a new password", load: () => import("./resetlink.js") },
  { name: "welcome", path: "/welcome/:token", title: "Welcome to Campanile", load: () => import("./welcome.js") },
];
