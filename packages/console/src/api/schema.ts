// Generated from docs/reference/admin-api.json by `npm run console:schema`. Not to be edited.
export interface paths {
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The session of the cookie.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Opens a session and sets its cookie. It ends after 12 hours without use, and after 7 days in all.
         * @description For everyone, without a credential.
         */
        post: operations["signIn"];
        /**
         * Ends the session of the cookie, on every node.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who asks, with which role, and what changes made with a session must send.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Issuers people may sign in with.
         * @description For everyone, without a credential.
         */
        get: operations["listSignInProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/oidc/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends the browser to an issuer to sign in.
         * @description For everyone, without a credential.
         */
        get: operations["startSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/oidc/{id}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where an issuer sends the browser back: opens a session and sets its cookie.
         * @description For everyone, without a credential.
         */
        get: operations["finishSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accounts, as filtered and sorted.
         * @description For operators.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * A new account.
         * @description For operators.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Renames an account, changes its kind, credit limit or rate limits, suspends or restores it.
         * @description For operators.
         */
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/admin/v1/accounts/{account}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The members of an account, as filtered and sorted.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * A new member. Its role cannot be above the role of its creator.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a member and revokes the member's keys.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Renames a member or changes the role. The member's keys follow at once.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        patch: operations["changeMember"];
        trace?: never;
    };
    "/admin/v1/accounts/{account}/members/{id}/sign-in-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A link that signs a member in once, within ten minutes.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["makeSignInCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of the database and of the configuration by name, state, account, member, model or expiry; for operators of all accounts.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["findKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys of an account, revoked ones too.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * A new key. Its secret is in this answer only. A key made with a key has no more rights than that one.
         * @description For operators, and for keys and members of the account that manage it as developer or more.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One key.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Renames a key or narrows its rights. What is left out of the rights stays; none can be widened.
         * @description For operators, and for keys and members of the account that manage it as developer or more.
         */
        patch: operations["changeKey"];
        trace?: never;
    };
    "/admin/v1/accounts/{account}/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret for a key. The old one is taken for a while, or not at all.
         * @description For operators, and for keys and members of the account that manage it as developer or more.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends a key for good, and the keys that were made with it. Dead on all nodes within a second.
         * @description For operators, and for keys and members of the account that manage it as developer or more.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an account has paid in and spent, and what is held or leased to nodes.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getCredit"];
        put?: never;
        /**
         * Pays in, or with a minus out of what is free. The same id a second time changes nothing, and with another amount it is refused.
         * @description For operators.
         */
        post: operations["payIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an account, its keys, members and tags may spend, and what they have.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listBudgets"];
        put?: never;
        /**
         * Bounds what an account, a key, a member or a tag of it may spend in a day, in a month or in all.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["setBudget"];
        /**
         * Removes a budget: what it bounded is bounded by the others and by the credit alone.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["removeBudget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tags an account has declared.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listTags"];
        put?: never;
        /**
         * Declares a tag, or changes whether it is required. At most 8 per account.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["declareTag"];
        /**
         * Withdraws a tag: from now on it is neither summed up nor required. Sums made before stay.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["withdrawTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Entries of the ledger of an account, the newest first, with the balance after each.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/ledger.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statement: the entries of a span as CSV, the oldest first, with the balance after each.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["exportLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/parent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The accounts above an account and directly below it.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getFamily"];
        put?: never;
        /**
         * Puts an account below another, or with null below none. Budgets of the scope `group` of those above bound it from now on.
         * @description For operators.
         */
        post: operations["setParent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The orders of an account, by id.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * What an account is to pay, and the credit it gets when a signed event says that exactly this was paid.
         * @description For operators.
         */
        post: operations["createOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One order.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes as filtered, the newest first.
         * @description For operators.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the chain of the audit log is whole.
         * @description For operators.
         */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The changes to one account, the newest first.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        get: operations["listAccountAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Providers that are configured or have a stored credential: which credential is used, and how they do.
         * @description For operators.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One provider: the circuit breaker of each model there, its credentials, and how requests of the last two hours ended.
         * @description For operators.
         */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes the open circuits of a provider on all nodes: it gets calls again at once.
         * @description For operators.
         */
        post: operations["releaseProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers/{id}/credential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stores the credential of a host, or takes the place of the one before. The file still comes first.
         * @description For operators.
         */
        post: operations["setCredential"];
        /**
         * Forgets the stored credential of a host.
         * @description For operators.
         */
        delete: operations["deleteCredential"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Asks a host for its models with the credential that is used, or with one that is kept nowhere.
         * @description For operators.
         */
        post: operations["testCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/providers/rewrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts every stored credential, secret of a webhook, destination of alerts and data key of captured content under the first of secrets.keys. Then the others may be removed.
         * @description For operators.
         */
        post: operations["rewrapCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models of the catalogue by id: endpoints, prices, and whether they can be called. Members see callable ones.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/models/{owner}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One model, by its id or an alias: every endpoint with all its prices.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where events of an account are sent.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * A new webhook, and the secret that signs its messages.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["addWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a webhook and all messages on their way to it.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        /**
         * Chooses the events a webhook gets.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/admin/v1/accounts/{account}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message of the type webhook.test. The deliveries show the result.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages to a webhook of the last seven days, the newest first.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message of a webhook again, with all its tries before it.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret. Messages bear signatures of both while the old one is still good.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alerts of all accounts and of the gateway itself, the newest first.
         * @description For operators.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alerts about one account, the newest first.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listAccountAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rules by which alerts are raised, with the values of the configuration.
         * @description For operators.
         */
        get: operations["listAlertRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Marks an alert as seen: it is not listed as open any more.
         * @description For operators.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where alerts are sent.
         * @description For operators.
         */
        get: operations["listAlertDestinations"];
        put?: never;
        /**
         * A new destination: a signed webhook, Slack, Teams, Discord or mail.
         * @description For operators.
         */
        post: operations["addAlertDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a destination and all messages on their way to it.
         * @description For operators.
         */
        delete: operations["removeAlertDestination"];
        options?: never;
        head?: never;
        /**
         * Another name, or other kinds of alerts.
         * @description For operators.
         */
        patch: operations["changeAlertDestination"];
        trace?: never;
    };
    "/admin/v1/alerts/destinations/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test message, whatever kinds were chosen. The deliveries show the result.
         * @description For operators.
         */
        post: operations["testAlertDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/destinations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages to a destination of the last seven days, the newest first.
         * @description For operators.
         */
        get: operations["listAlertDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message again, with all its tries before it.
         * @description For operators.
         */
        post: operations["resendAlertDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices that operators have set, withdrawn ones included.
         * @description For operators.
         */
        get: operations["listPrices"];
        put?: never;
        /**
         * Sets prices of a model at a host, from a day and until a day where they are given. The file still comes first.
         * @description For operators.
         */
        post: operations["setPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/prices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Takes back prices that were set. What was charged at them stays so.
         * @description For operators.
         */
        delete: operations["withdrawPrice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/price-versions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rows that a version of prices on a bill stood for.
         * @description For operators.
         */
        get: operations["getPriceVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the account pays in relation to the catalogue, and paid before; the latest first.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listTerms"];
        put?: never;
        /**
         * Sets a markup or a discount, from a day or at once. The file still comes first.
         * @description For operators.
         */
        post: operations["setTerms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sums of what the account used: requests, tokens, cost.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/usage/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request of the account: meters, the lines of its bill, attempts, losses, times.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getUsageOfRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Spend, requests, tokens, errors and times, over accounts for operators, else of the own account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getSpend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as CSV, in one answer. The header `x-trivium-max-rows` has the bound.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["exportSpendCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage.focus.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Charges by day, account, key, model and provider in the columns of FOCUS 1.2, as CSV.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["exportSpendFocus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures with those of the span before, series, what needs a look, top keys and budgets nearest their end.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of all accounts, by the time they were received, as filtered.
         * @description For operators.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as CSV, in one answer. The header `x-trivium-max-rows` has the bound.
         * @description For operators.
         */
        get: operations["exportRequestsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as lines of JSON, in one answer. The header `x-trivium-max-rows` has the bound.
         * @description For operators.
         */
        get: operations["exportRequestsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many requests of all accounts went well or failed, and who is to blame, over time.
         * @description For operators.
         */
        get: operations["getRequestHistogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of all accounts as they end, as server-sent events: `row`, and `gap` where some were left out.
         * @description For operators.
         */
        get: operations["followRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request of all accounts: attempts with their phases, decision, losses, usage and bill.
         * @description For operators.
         */
        get: operations["getRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of the account, by the time they were received, as filtered.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listAccountRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as CSV, in one answer. The header `x-trivium-max-rows` has the bound.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["exportAccountRequestsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as lines of JSON, in one answer. The header `x-trivium-max-rows` has the bound.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["exportAccountRequestsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many requests of the account went well or failed, and who is to blame, over time.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccountRequestHistogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of the account as they end, as server-sent events: `row`, and `gap` where some were left out.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["followAccountRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request of the account: attempts with their phases, decision, losses, usage and bill.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccountRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is captured of the content of requests of the account, and until when.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccountRecords"];
        put?: never;
        post?: never;
        /**
         * Deletes the data key of the account, so that no node can read any of its captured content again.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["eraseAccountContent"];
        options?: never;
        head?: never;
        /**
         * Captures the content of requests of the account until a date, or ends that.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        patch: operations["changeAccountRecords"];
        trace?: never;
    };
    "/admin/v1/accounts/{account}/keys/{id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is captured of the content of requests with the key, and until when.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getKeyRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * The same for one key; it goes before what the account says.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        patch: operations["changeKeyRecords"];
        trace?: never;
    };
    "/admin/v1/requests/{id}/wire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The captured bytes of a request of any account in four panes, with what was changed on the way. Reading it is recorded in the audit log.
         * @description For operators.
         */
        get: operations["getRequestWire"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests/{id}/wire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The captured bytes of a request of the account; its own two panes in four panes, with what was changed on the way. Reading it is recorded in the audit log.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        get: operations["getAccountRequestWire"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a captured request of any account again, as a key of its account, to the same or another model or provider; or says where it would go.
         * @description For operators.
         */
        post: operations["replayRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/requests/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a captured request of the account again, as a key of its account, to the same or another model or provider; or says where it would go.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["replayAccountRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations of all accounts, the latest first.
         * @description For operators.
         */
        get: operations["listAllOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's operations, the latest first.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One operation, and how far it is.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["showOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/accounts/{account}/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives an operation up: nothing is charged, and whatever the host still makes is not fetched.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["cancelOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/playground": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calls the data plane as a key: the same rights, limits, prices and records as from outside. The answer is streamed through.
         * @description For operators, and for keys and members of the account that manage it as developer or more.
         */
        post: operations["callPlayground"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every process that serves: version, listeners, configuration, load and what waits for the database.
         * @description For operators.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The settings in force, without secrets, and what says each: file, environment, database or default.
         * @description For operators.
         */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/config/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What differs between a node and the file as it is now, or another node, and whether it takes a restart to apply.
         * @description For operators.
         */
        get: operations["diffConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            id: string;
            /** @description For people. */
            name: string;
            /**
             * @description Prepaid: no more than was paid in. Postpaid: up to a limit, billed later. Unlimited: recorded only.
             * @enum {unknown}
             */
            kind: "prepaid" | "postpaid" | "unlimited";
            /**
             * @description Keys of a suspended account are refused.
             * @enum {unknown}
             */
            status: "active" | "suspended";
            parentId: string | null;
            rateLimits: {
                /** @description Requests per minute. */
                requestsPerMinute?: number;
                /** @description Burst: requests that may come at once before `requestsPerMinute` applies. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower. */
                burst?: number;
                /** @description Tokens per minute, input and output. */
                tokensPerMinute?: number;
                /** @description USD in a minute. */
                usdPerMinute?: number;
                /** @description Requests at once. */
                inFlight?: number;
            } | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
        };
        AccountRecords: {
            /**
             * @description Which requests: none, those that failed or had a call to a provider that failed, a share of all, or all.
             * @enum {unknown}
             */
            bodies: "off" | "errors" | "sample" | "all";
            /** @description The share with `sample`, in percent. */
            samplePercent: number;
            /** @description How long captured content is kept, in hours. */
            keepHours: number;
            until: string | null;
            /** @description Whether anything is captured now. */
            active: boolean;
            /**
             * @description Where the node that answers keeps content.
             * @enum {unknown}
             */
            storage: "folder" | "s3";
            warning: string | null;
        };
        AccountRecordsChange: {
            /**
             * @description Which requests: none, those that failed or had a call to a provider that failed, a share of all, or all.
             * @enum {unknown}
             */
            bodies?: "off" | "errors" | "sample" | "all";
            /** @description The share with `sample`, in percent. */
            samplePercent?: number;
            /** @description How long captured content is kept, in hours. */
            keepHours?: number;
            /** @description When capturing ends, at most 31 days from now. Required unless it is off. */
            until?: string;
        };
        AddedAlertDestination: {
            destination: components["schemas"]["AlertDestination"];
            secret: string | null;
        };
        Alert: {
            id: string;
            /**
             * @description What it is about.
             * @enum {unknown}
             */
            kind: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
            accountId: string | null;
            /** @description What it is about: a budget, a key, a provider, a model. */
            subject: string;
            /** @description One sentence for people. */
            title: string;
            detail: {
                [key: string]: string | number;
            };
            /**
             * Format: date-time
             * @description When it was raised.
             */
            raisedAt: string;
            /**
             * Format: date-time
             * @description When an outage was last confirmed; else as `raisedAt`.
             */
            lastSeenAt: string;
            resolvedAt: string | null;
            acknowledgedAt: string | null;
            acknowledgedBy: string | null;
        };
        AlertDestination: {
            id: string;
            /**
             * @description Form of the messages. `webhook`: a signed event in the form of Standard Webhooks.
             * @enum {unknown}
             */
            kind: "webhook" | "slack" | "teams" | "discord" | "mail";
            /** @description For people. */
            name: string;
            /** @description The host of its URL, or the mail addresses. The URL itself is not shown. */
            target: string;
            events: ("budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back")[] | null;
            /**
             * Format: date-time
             * @description When it was added.
             */
            createdAt: string;
            goneAt: string | null;
        };
        AlertRule: {
            /**
             * @description What it is about.
             * @enum {unknown}
             */
            kind: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
            enabled: boolean;
            /** @description The condition, with the values of this configuration. */
            raisedWhen: string;
            /** @description How often it is raised at most. */
            window: string;
            /** @enum {unknown} */
            audience: "operators" | "operators and the account";
        };
        AuditEntry: {
            id: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            accountId: string | null;
            /** @description `operator`, or `key:` and the id of a key. */
            actor: string;
            action: string;
            subject: string;
            detail: {
                [key: string]: unknown;
            };
        };
        AuditVerdict: {
            intact: boolean;
            broken: string[];
        };
        Budget: {
            /** @description `account`, `key:<id>` or `member:<id>`. */
            scope: string;
            /** @enum {unknown} */
            span: "day" | "month" | "total";
            /** @description The most that may be spent. */
            usd: string;
            /**
             * @description Members and managing keys of the account change or remove only those that one of them has set.
             * @enum {unknown}
             */
            setBy: "operator" | "member";
            /** @description Charged in the day or month that runs, or in all. */
            spentUsd: string;
            /** @description Set aside of it. */
            heldUsd: string;
        };
        BudgetChange: {
            /** @description `account`, `key:<id>` or `member:<id>`. */
            scope: string;
            /**
             * @description Days and months of UTC.
             * @enum {unknown}
             */
            span: "day" | "month" | "total";
            /** @description US dollars, e.g. `20.00`; up to nine decimals. */
            usd: string;
        };
        /** @description As the process that answers sees it: each has circuit breakers of its own. */
        Circuit: {
            /**
             * @description Of its circuit breaker. `open`: it gets no calls. `half-open`: one call tries it.
             * @enum {unknown}
             */
            state: "closed" | "open" | "half-open";
            why: ("failures" | "stalls" | "credential" | "rate" | "hint") | null;
            since: string | null;
            until: string | null;
        };
        Configuration: {
            node: string;
            /** @description Of all settings as they are shown: nodes with the same hash have the same, secrets apart. */
            hash: string;
            items: components["schemas"]["Setting"][];
        };
        ConfigurationDiff: {
            node: string;
            against: string | null;
            /** @description Whether any difference takes effect only with a new process. */
            needsRestart: boolean;
            /** @description Why the file cannot be taken over; then there are no items. */
            problems: {
                place: string;
                path: string;
                message: string;
            }[];
            items: components["schemas"]["SettingChange"][];
        };
        CredentialVerdict: {
            id: string;
            /**
             * @description What the host said when asked for its models. `unclear`: neither yes nor no. `none`: there is no credential, or no list to ask for.
             * @enum {unknown}
             */
            verdict: "works" | "refused" | "unclear" | "unreachable" | "none";
            status: number | null;
            error: components["schemas"]["UpstreamError"] | null;
        };
        Credit: {
            /**
             * @description Prepaid: no more than was paid in. Postpaid: up to a limit, billed later. Unlimited: recorded only.
             * @enum {unknown}
             */
            kind: "prepaid" | "postpaid" | "unlimited";
            /** @description All that was paid in. */
            creditUsd: string;
            /** @description Charged so far. */
            spentUsd: string;
            /** @description Held for requests in progress. */
            heldUsd: string;
            /** @description Leased to gateway nodes for requests to come. Not spent; what they do not use is returned. */
            leasedUsd: string;
            /** @description How far a postpaid account may go below zero. */
            creditLimitUsd: string;
            /** @description The older name of `creditLimitUsd`. Goes with the next release. */
            overdraftUsd: string;
            /** @description The part of `spentUsd` above what was reserved: usage that could not be known before the call. */
            overrunUsd: string;
            availableUsd: string | null;
        };
        ErasedContent: {
            /** @description Captured requests that can no longer be read. */
            erased: number;
            /** @description Encrypted files of these that this node cannot delete; they go when they expire. */
            left: number;
        };
        Family: {
            parentId: string | null;
            /** @description The accounts above it, the nearest first. */
            above: string[];
            /** @description The accounts directly below it, at most 1000. */
            children: string[];
        };
        FoundKey: {
            id: string;
            accountId: string;
            memberId: string | null;
            parentId: string | null;
            /** @description For people. */
            name: string;
            /** @description How the secret starts. Empty: the configuration has only its hash. */
            prefix: string;
            rights: components["schemas"]["KeyRights"];
            createdAt: string | null;
            revokedAt: string | null;
            previousUntil: string | null;
            /**
             * @description Keys of the configuration are changed there.
             * @enum {unknown}
             */
            source: "database" | "file";
            /** @enum {unknown} */
            state: "active" | "expired" | "revoked";
            lastUsedAt: string | null;
            /** @description Charged in the last 30 days, by the hour. */
            spent30dUsd: string;
        };
        Host: {
            id: string;
            /**
             * @description Whose credential is used; the file comes first.
             * @enum {unknown}
             */
            credential: "file" | "database" | "none";
            storedAt: string | null;
        };
        Key: {
            id: string;
            accountId: string;
            memberId: string | null;
            parentId: string | null;
            /** @description For people. */
            name: string;
            /** @description How the secret starts. */
            prefix: string;
            rights: components["schemas"]["KeyRights"];
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            revokedAt: string | null;
            previousUntil: string | null;
        };
        KeyRecords: {
            /**
             * @description As for an account; `inherit`: what the account says.
             * @enum {unknown}
             */
            bodies: "off" | "errors" | "sample" | "all" | "inherit";
            /** @description The share with `sample`, in percent. */
            samplePercent: number;
            /** @description How long captured content is kept, in hours. */
            keepHours: number;
            until: string | null;
            /** @description Whether anything is captured now. */
            active: boolean;
            /**
             * @description Where the node that answers keeps content.
             * @enum {unknown}
             */
            storage: "folder" | "s3";
            warning: string | null;
        };
        KeyRecordsChange: {
            /**
             * @description As for an account; `inherit`: what the account says.
             * @enum {unknown}
             */
            bodies?: "off" | "errors" | "sample" | "all" | "inherit";
            /** @description The share with `sample`, in percent. */
            samplePercent?: number;
            /** @description How long captured content is kept, in hours. */
            keepHours?: number;
            /** @description When capturing ends, at most 31 days from now. Required unless it is off. */
            until?: string;
        };
        KeyRights: {
            /** @description Models it may use; an entry may end in `*`. Absent: all. */
            models?: string[];
            /** @description Hosts it may reach. Absent: all. */
            providers?: string[];
            /** @description Protocols it may speak. Absent: all. */
            protocols?: ("chat" | "messages" | "genai")[];
            /** @description What it may call. Absent: all. */
            endpoints?: ("text" | "embed" | "image" | "video" | "count")[];
            /** @description Addresses or ranges it may be used from. Absent: everywhere. */
            addresses?: string[];
            /** @description When it stops working. */
            expiresAt?: string;
            /** @description Refuse what cannot be carried out to the letter. */
            strict?: boolean;
            /** @description Losses that do not fail a strict request. */
            tolerates?: string[];
            /** @description Limits of its own; what is left out is as `rateLimits` of the configuration has it for every key. */
            rateLimits?: {
                /** @description Requests per minute. */
                requestsPerMinute?: number;
                /** @description Burst: requests that may come at once before `requestsPerMinute` applies. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower. */
                burst?: number;
                /** @description Tokens per minute, input and output. */
                tokensPerMinute?: number;
                /** @description USD in a minute. */
                usdPerMinute?: number;
                /** @description Requests at once. */
                inFlight?: number;
            };
            /**
             * @description Each may do what the one before may.
             * @enum {unknown}
             */
            manages?: "viewer" | "developer" | "admin" | "owner";
        };
        KeyWithSecret: {
            key: components["schemas"]["Key"];
            /** @description Shown this once. */
            secret: string;
        };
        LedgerEntry: {
            /** @description Its number in the account, from 1 on without gaps. */
            sequence: string;
            /**
             * Format: date-time
             * @description When it was written.
             */
            at: string;
            /** @description Of the request it charges for, or of the payment. */
            id: string;
            /**
             * @description `refund`: an estimate had charged too much.
             * @enum {unknown}
             */
            kind: "deposit" | "withdrawal" | "charge" | "refund";
            /** @description Below zero: taken from the account. */
            amountUsd: string;
            /** @description What was paid in less what was spent, after it. */
            balanceUsd: string;
            requestId: string | null;
            /** @description Charged by our own count. */
            estimated: boolean;
            memo: string;
        };
        Me: {
            /** @description `operator`, `key:` and the id of a key, or `member:` and the id of a member. */
            actor: string;
            /** @enum {unknown} */
            role: "operator" | "viewer" | "developer" | "admin" | "owner";
            accountId: string | null;
            memberId: string | null;
            name: string | null;
            csrf: string | null;
            session: {
                /**
                 * @description How it was opened.
                 * @enum {unknown}
                 */
                method: "secret" | "key" | "code" | "oidc";
                /**
                 * Format: date-time
                 * @description When it was opened.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description When it ends however much it is used; unused it ends after 12 hours.
                 */
                endsAt: string;
            } | null;
        };
        Member: {
            id: string;
            /** @description For people. */
            name: string;
            email: string | null;
            /**
             * @description Each may do what the one before may.
             * @enum {unknown}
             */
            role: "viewer" | "developer" | "admin" | "owner";
            /**
             * Format: date-time
             * @description When it was added.
             */
            createdAt: string;
        };
        Model: {
            /** @description `<owner>/<name>`. */
            id: string;
            owner: string;
            displayName: string;
            /** @description Further names callers may use, those of the configuration too. */
            aliases: string[];
            inputModalities: string[];
            outputModalities: string[];
            reasoning: boolean;
            contextLength: number | null;
            maxOutputTokens: number | null;
            createdDay: string | null;
            retiring: string | null;
            /** @description At least one endpoint can be called. */
            callable: boolean;
            whyNot: ("hidden" | "retired" | "no-endpoint" | "unknown-provider" | "unknown-format" | "not-configured" | "no-credential" | "missing-settings") | null;
            endpoints: components["schemas"]["ModelEndpoint"][];
        };
        ModelDetail: {
            /** @description `<owner>/<name>`. */
            id: string;
            owner: string;
            displayName: string;
            /** @description Further names callers may use, those of the configuration too. */
            aliases: string[];
            inputModalities: string[];
            outputModalities: string[];
            reasoning: boolean;
            contextLength: number | null;
            maxOutputTokens: number | null;
            createdDay: string | null;
            retiring: string | null;
            /** @description At least one endpoint can be called. */
            callable: boolean;
            whyNot: ("hidden" | "retired" | "no-endpoint" | "unknown-provider" | "unknown-format" | "not-configured" | "no-credential" | "missing-settings") | null;
            description: string;
            endpoints: components["schemas"]["ModelEndpointDetail"][];
        };
        ModelEndpoint: {
            provider: string;
            /** @description The wire format it is called in. */
            format: string;
            /** @description The provider's name of the model. Operators only. */
            upstreamModel?: string;
            contextLength: number | null;
            maxOutputTokens: number | null;
            inputModalities: string[];
            callable: boolean;
            whyNot: ("unknown-provider" | "unknown-format" | "not-configured" | "no-credential" | "missing-settings") | null;
            /** @description False: it has no price, and is refused where money is limited by credit or a budget. */
            priced: boolean;
            prices: components["schemas"]["ModelPrice"][];
            circuit: components["schemas"]["Circuit"] | null;
        };
        ModelEndpointDetail: {
            provider: string;
            /** @description The wire format it is called in. */
            format: string;
            /** @description The provider's name of the model. Operators only. */
            upstreamModel?: string;
            contextLength: number | null;
            maxOutputTokens: number | null;
            inputModalities: string[];
            callable: boolean;
            whyNot: ("unknown-provider" | "unknown-format" | "not-configured" | "no-credential" | "missing-settings") | null;
            /** @description False: it has no price, and is refused where money is limited by credit or a budget. */
            priced: boolean;
            prices: components["schemas"]["ModelPrice"][];
            circuit: components["schemas"]["Circuit"] | null;
            /** @description For other cases than the usual one. */
            otherPrices: {
                /** @description What they are for, in words. */
                basis: string;
                when: {
                    [key: string]: unknown;
                } | null;
                meters: string[] | null;
                prices: components["schemas"]["ModelPrice"][];
            }[];
        };
        ModelPrice: {
            /** @description What is charged, e.g. `prompt` or `completion`. */
            kind: string;
            /** @description What the price is for, e.g. `perMTokens`. */
            unit: string;
            /** @description For one unit, in US dollars, after the terms of the account. */
            usd: string;
            /** @description Ranges of tokens it is for. */
            conditions?: {
                [key: string]: unknown;
            };
        };
        NeedsALook: {
            /**
             * @description `circuit-open`: a target is out of service on the node that answers; operators only. `unpriced`: requests that used something without a price. `key-expiring`: within 7 days.
             * @enum {unknown}
             */
            kind: "circuit-open" | "unpriced" | "key-expiring";
            /** @description The target, the model or the id of the key. */
            subject: string;
            accountId: string | null;
            name: string | null;
            requests: number | null;
            at: string | null;
        };
        NewReplay: {
            /** @description The key the call is made as, and charged to: one of the same account. */
            keyId: string;
            /** @description Another model than the request asked for. */
            model?: string;
            /** @description Only this provider. */
            provider?: string;
            /** @description Whether a loss is an error. */
            strict?: boolean;
            /** @description Only plan it: nothing is sent, held or charged. */
            dryRun?: boolean;
        };
        Node: {
            /** @description Machine, process and a name of its own. A worker is a node. */
            id: string;
            /** @description Whether it is the one that answers. */
            self: boolean;
            hostname: string;
            pid: number;
            version: string;
            /**
             * Format: date-time
             * @description When it started.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description When it last reported. A node that has not for a minute is no longer listed.
             */
            seenAt: string;
            unready: string | null;
            /** @description 1 at the start; one more with each configuration that was taken over since. */
            generation: number;
            /** @description Of all settings as they are shown: nodes with the same hash have the same, secrets apart. */
            configHash: string;
            /**
             * Format: date-time
             * @description When that configuration took effect.
             */
            configLoadedAt: string;
            listeners: {
                /** @description Where callers reach it. */
                data: string;
                /** @description Where operators do. */
                admin: string;
                members: string | null;
            };
            /** @description Requests under way. */
            inFlight: number;
            /** @description Calls of providers under way. */
            upstreamExchanges: number;
            /** @description Holds on money that are not settled. */
            openHolds: number;
            /** @description Settlements that the database does not have yet. */
            unpostedSettlements: number;
            /** @description Finished requests whose usage the database does not have yet. */
            usageWaiting: number;
            /** @description Delay of the event loop, of the last 100 ms. */
            loopDelayMs: number;
            /** @description Memory of the process. */
            residentBytes: number;
            limitsShared: boolean | null;
        };
        Nodes: {
            items: components["schemas"]["Node"][];
            next: null;
        };
        Operation: {
            id: string;
            accountId: string;
            keyId: string;
            /** @description The request that ordered it. */
            requestId: string;
            /** @description As callers poll it. */
            name: string;
            model: string;
            /** @description The host that makes it. */
            provider: string;
            /**
             * @description Where it is in its life.
             * @enum {unknown}
             */
            state: "submitting" | "running" | "unknown" | "done" | "failed" | "cancelled" | "refused";
            percent: number | null;
            /** @description Videos it has delivered. */
            videos: number;
            /** @description Videos that were held back. */
            blocked: number;
            costUsd: string | null;
            results: {
                mimeType: string;
                link: string | null;
                expiresAt: string | null;
            }[];
            problem: string | null;
            /**
             * Format: date-time
             * @description When it was ordered.
             */
            createdAt: string;
            finishedAt: string | null;
            /**
             * Format: date-time
             * @description Until when it is kept.
             */
            expiresAt: string;
        };
        Order: {
            id: string;
            accountId: string;
            /** @description A payment provider of the configuration. */
            provider: string;
            /** @description What is to be paid, in the smallest unit of the currency. */
            amountMinor: number;
            /** @description ISO 4217 in lower case. */
            currency: string;
            /** @description US dollars, e.g. `20.00`; up to nine decimals. */
            creditUsd: string;
            /** @enum {unknown} */
            state: "open" | "paid";
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            paidAt: string | null;
        };
        Overview: {
            /**
             * Format: date-time
             * @description The start of the span.
             */
            from: string;
            /**
             * Format: date-time
             * @description Its end, exclusive.
             */
            until: string;
            /** @enum {unknown} */
            bucket: "hour" | "day";
            now: components["schemas"]["UsageFigures"];
            /** @description The span of the same length before it. */
            before: {
                /** @description Let in, however they ended. */
                requests: number;
                /** @description Of these, those that failed. */
                failed: number;
                /** @description Recorded requests that were refused; of a flood only some are recorded. */
                refused: number;
                /** @description Failed and refused requests by who is to blame. */
                faults: {
                    caller: number;
                    upstream: number;
                    gateway: number;
                };
                tokens: {
                    /** @description With those from caches. */
                    input: number;
                    /** @description With those of reasoning. */
                    output: number;
                    /** @description Of the input, read from a cache. */
                    cached: number;
                    /** @description Of the input, written to a cache. */
                    cacheWrite: number;
                    /** @description Of the output. */
                    reasoning: number;
                };
                /** @description Requests that used something without a price. */
                unpriced: number;
                /** @description What was charged, exact. */
                costUsd: string;
                firstTokenMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
                durationMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
            };
            spendByModel: {
                /**
                 * Format: date-time
                 * @description The start of the hour or day.
                 */
                at: string;
                /** @description One of the five most expensive, or empty for all others. */
                model: string;
                costUsd: string;
                requests: number;
            }[];
            errors: {
                /**
                 * Format: date-time
                 * @description The start of the hour or day.
                 */
                at: string;
                requests: number;
                caller: number;
                upstream: number;
                gateway: number;
            }[];
            firstTokenByProvider: {
                /**
                 * Format: date-time
                 * @description The start of the hour or day.
                 */
                at: string;
                provider: string;
                p50: number;
                p95: number;
            }[];
            needsALook: components["schemas"]["NeedsALook"][];
            topKeys: {
                accountId: string;
                keyId: string;
                name: string | null;
                costUsd: string;
                requests: number;
            }[];
            budgets: {
                accountId: string;
                scope: string;
                span: string;
                usd: string;
                spentUsd: string;
                heldUsd: string;
            }[];
        };
        /** @description The data plane's own answer, with its status, its type and its `x-trivium-…` headers, streamed as it comes. */
        PlaygroundAnswer: unknown;
        Price: {
            id: string;
            model: string;
            provider: string;
            dialect: string | null;
            from: string | null;
            until: string | null;
            pricings: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was set.
             */
            createdAt: string;
            withdrawnAt: string | null;
        };
        PriceVersion: {
            version: string;
            /**
             * Format: date-time
             * @description When it was first in force.
             */
            firstSeen: string;
            rows: {
                [key: string]: unknown;
            };
        };
        Problem: {
            error: {
                code: string;
                message: string;
                field?: string;
            };
        };
        Provider: {
            id: string;
            /**
             * @description Whose credential is used; the file comes first.
             * @enum {unknown}
             */
            credential: "file" | "database" | "none";
            storedAt: string | null;
            displayName: string;
            /** @description False: it is known only by its stored credential. */
            configured: boolean;
            /** @description Where it is called. */
            origins: string[];
            /** @description In the order they are tried in. Their values are never shown. */
            credentials: {
                /** @description Its place in the configuration, from 1: the order they are tried in. */
                position: number;
                /** @enum {unknown} */
                source: "file" | "database";
            }[];
            /** @description How many models can be called there. */
            models: number;
            /** @description How many of them get no calls now. */
            openCircuits: number;
            /** @description Of the process that answers. */
            retryBudget: {
                /** @description Retries that may be made now. */
                left: number;
                /** @description Most that can be saved up. */
                max: number;
                /** @description What every hundred requests add. */
                percent: number;
            };
        };
        ProviderDetail: {
            id: string;
            /**
             * @description Whose credential is used; the file comes first.
             * @enum {unknown}
             */
            credential: "file" | "database" | "none";
            storedAt: string | null;
            displayName: string;
            /** @description False: it is known only by its stored credential. */
            configured: boolean;
            /** @description Where it is called. */
            origins: string[];
            /** @description In the order they are tried in. Their values are never shown. */
            credentials: {
                /** @description Its place in the configuration, from 1: the order they are tried in. */
                position: number;
                /** @enum {unknown} */
                source: "file" | "database";
            }[];
            /** @description How many models can be called there. */
            models: number;
            /** @description How many of them get no calls now. */
            openCircuits: number;
            /** @description Of the process that answers. */
            retryBudget: {
                /** @description Retries that may be made now. */
                left: number;
                /** @description Most that can be saved up. */
                max: number;
                /** @description What every hundred requests add. */
                percent: number;
            };
            /** @description By model. As the process that answers sees them: each has circuit breakers of its own. */
            targets: components["schemas"]["ProviderTarget"][];
            /** @description Requests of all nodes that it answered, or failed last, by outcome. */
            history: {
                /**
                 * Format: date-time
                 * @description The start of the first bar that can be.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description The end of the span.
                 */
                until: string;
                bucketSeconds: number;
                bars: {
                    /**
                     * Format: date-time
                     * @description Its start.
                     */
                    at: string;
                    ok: number;
                    caller: number;
                    upstream: number;
                    gateway: number;
                }[];
            };
        };
        ProviderTarget: {
            model: string;
            /**
             * @description Of its circuit breaker. `open`: it gets no calls. `half-open`: one call tries it.
             * @enum {unknown}
             */
            state: "closed" | "open" | "half-open";
            why: ("failures" | "stalls" | "credential" | "rate" | "hint") | null;
            since: string | null;
            until: string | null;
            failuresInRow: number;
            /** @description Of them, those by silence. */
            stallsInRow: number;
            firstTokenMs: number | null;
            wholeAnswerMs: number | null;
            /** @description Requests that wait for a first token there, where there was a choice. */
            waiting: number;
            credentials: {
                /** @description Its place in the configuration, from 1: the order they are tried in. */
                position: number;
                /**
                 * @description Of its circuit breaker. `open`: it gets no calls. `half-open`: one call tries it.
                 * @enum {unknown}
                 */
                state: "closed" | "open" | "half-open";
                why: ("failures" | "stalls" | "credential" | "rate" | "hint") | null;
                since: string | null;
                until: string | null;
            }[];
        };
        Released: {
            /** @description Circuits that were open in the process that answers. */
            released: number;
        };
        Replay: {
            /** @description The request that was captured. */
            replayOf: string;
            /** @description Parts with sealed state of a provider, which are never sent again. */
            sealsRemoved: number;
            /** @description Secrets that were taken out when it was captured. */
            secretsRemoved: number;
            plan: {
                provider: string;
                model: string;
                lane: string | null;
                laneWhy: string | null;
                losses: {
                    field: string;
                    why: string;
                }[];
                refusal: string | null;
            }[] | null;
            requestId: string | null;
            answer: {
                status: number;
                /** @description As the caller would get it. */
                body: string;
                truncated: boolean;
            } | null;
        };
        RequestAttempt: {
            provider: string;
            model: string | null;
            lane: string;
            /** @description `ok`, or the kind of error. */
            outcome: string;
            status: number | null;
            /** @description Its turn came. All times of attempts count from the arrival of the request. */
            startMs?: number;
            /** @description A new connection was there. */
            connectedMs?: number;
            /** @description It was handed to the connection. */
            sentMs?: number;
            /** @description Status and headers had come. */
            headMs?: number;
            /** @description The first content came. */
            firstContentMs?: number;
            /** @description It failed, or all of its answer was passed on. */
            endMs?: number;
            /** @description The pause before it. */
            waitMs?: number;
            /** @description How long the upstream asked to be left alone. */
            retryAfterMs?: number;
            /**
             * @description Of two attempts side by side.
             * @enum {unknown}
             */
            hedge?: "won" | "lost";
            sealsStripped?: boolean;
            /** @description Its place in the configuration, from 1. Operators only. */
            credential?: number;
            error?: components["schemas"]["UpstreamError"];
            /** @description What it used up without answering the caller. Operators only. */
            operatorCost?: {
                /** @description Usage dimensions and their quantities. */
                usage: {
                    [key: string]: number;
                };
                estimated: boolean;
                costUsd: string;
            };
        };
        RequestDecision: {
            decidedBy: string;
            modelsBy: {
                taskType: string;
                complexity: string;
                estimated: boolean;
            } | null;
            promptTokens: {
                atLeast: number;
                atMost: number;
            } | null;
            order: {
                provider: string;
                model: string;
                fit: string | null;
                room: string | null;
                firstTokenMs: number | null;
                /** @description Requests that waited for it. */
                waiting: number;
                usdPerMillion: number | null;
                isMaker: boolean;
                holdsCache: boolean;
                contextLength: number | null;
            }[];
        };
        RequestDetail: {
            id: string;
            /**
             * Format: date-time
             * @description When it arrived.
             */
            receivedAt: string;
            accountId: string | null;
            keyId: string | null;
            keyName: string | null;
            memberId: string | null;
            askedModel: string | null;
            model: string | null;
            provider: string | null;
            protocol: string;
            operation: string | null;
            stream: boolean;
            lane: string | null;
            /** @description `ok`, `interrupted`, or the kind of error. */
            outcome: string;
            /**
             * @description Who is to blame.
             * @enum {unknown}
             */
            outcomeClass: "ok" | "caller" | "upstream" | "gateway";
            /** @description The HTTP status the caller got; 200 of a stream that broke off. */
            status: number;
            /** @description Before it was let in: no attempt was made. */
            refused: boolean;
            inputTokens: number;
            outputTokens: number;
            /** @description Of the input, read from a cache. */
            cachedTokens: number;
            costUsd: string | null;
            /** @description Some of the usage is our own count. */
            estimated: boolean;
            firstTokenMs: number | null;
            /** @description From its arrival to its end, in ms. */
            durationMs: number;
            cause: string | null;
            problem: string | null;
            /** @description Refused requests before it that have no record. */
            unrecorded: number;
            strict: boolean;
            laneWhy: string | null;
            stages: {
                /** @enum {unknown} */
                name: "admit" | "upstream";
                startMs: number;
                endMs: number;
            }[];
            attempts: components["schemas"]["RequestAttempt"][];
            decision: components["schemas"]["RequestDecision"] | null;
            leftOut: {
                provider: string;
                model: string;
                why: string;
                contextLength?: number;
            }[];
            losses: {
                field: string;
                why: string;
            }[];
            /** @description Usage dimensions and their quantities. */
            usage: {
                [key: string]: number;
            };
            suspect: {
                why: string[];
                /** @description Usage dimensions and their quantities. */
                reported: {
                    [key: string]: number;
                };
            } | null;
            costLines: {
                meter: string;
                kind: string;
                quantity: number;
                unit: string;
                priceUsd: string;
                amountUsd: string;
            }[];
            unpriced: string[];
            priceVersion: string | null;
            metadata: {
                [key: string]: string;
            } | null;
            /** @description Tags its account has declared; empty where the request has none. */
            tags: {
                [key: string]: string;
            };
        };
        RequestHistogram: {
            /**
             * Format: date-time
             * @description The start of the first bar that can be.
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the span.
             */
            until: string;
            bucketSeconds: number;
            bars: {
                /**
                 * Format: date-time
                 * @description Its start.
                 */
                at: string;
                ok: number;
                caller: number;
                upstream: number;
                gateway: number;
            }[];
        };
        RequestRow: {
            id: string;
            /**
             * Format: date-time
             * @description When it arrived.
             */
            receivedAt: string;
            accountId: string | null;
            keyId: string | null;
            keyName: string | null;
            memberId: string | null;
            askedModel: string | null;
            model: string | null;
            provider: string | null;
            protocol: string;
            operation: string | null;
            stream: boolean;
            lane: string | null;
            /** @description `ok`, `interrupted`, or the kind of error. */
            outcome: string;
            /**
             * @description Who is to blame.
             * @enum {unknown}
             */
            outcomeClass: "ok" | "caller" | "upstream" | "gateway";
            /** @description The HTTP status the caller got; 200 of a stream that broke off. */
            status: number;
            /** @description Before it was let in: no attempt was made. */
            refused: boolean;
            inputTokens: number;
            outputTokens: number;
            /** @description Of the input, read from a cache. */
            cachedTokens: number;
            costUsd: string | null;
            /** @description Some of the usage is our own count. */
            estimated: boolean;
            firstTokenMs: number | null;
            /** @description From its arrival to its end, in ms. */
            durationMs: number;
            /** @description How many. */
            attempts: number;
            /** @description How many. */
            losses: number;
        };
        Revoked: {
            revoked: string[];
        };
        Rewrapped: {
            moved: number;
        };
        Setting: {
            /** @description `limits.jsonDepth`; an entry of a list has its name or id: `keys.ci`. */
            path: string;
            /** @description Secrets are `[redacted]`, or the reference that the file has, such as `env:NAME`. */
            value: unknown;
            /**
             * @description What says so. `database`: a credential that an operator has stored.
             * @enum {unknown}
             */
            source: "file" | "environment" | "database" | "default";
            place: string | null;
        };
        SettingChange: {
            /** @description `limits.jsonDepth`; an entry of a list has its name or id: `keys.ci`. */
            path: string;
            /**
             * @description From the node to the other side.
             * @enum {unknown}
             */
            change: "added" | "removed" | "changed";
            /** @description Of the node; null where it has none. */
            from: unknown;
            /** @description Of the other side; null where it has none. */
            to: unknown;
            /** @description It holds a secret: the values may look alike. Between nodes secrets are not compared. */
            secret: boolean;
            place: string | null;
            needsRestart: boolean;
        };
        SignedOut: {
            signedOut: boolean;
        };
        SignInCode: {
            /** @description Signs in once. Shown this once. */
            code: string;
            /** @description The sign-in page with the code in its fragment, which browsers send nowhere. */
            url: string;
            /**
             * Format: date-time
             * @description Until when it can be used.
             */
            expiresAt: string;
        };
        SignInProvider: {
            id: string;
            /** @description For the button. */
            name: string;
        };
        Spend: {
            /**
             * Format: date-time
             * @description The start of the span.
             */
            from: string;
            /**
             * Format: date-time
             * @description Its end, exclusive.
             */
            until: string;
            tz: string;
            /** @description By time, and within it the most expensive first. */
            items: components["schemas"]["SpendRow"][];
            /** @description There are more rows than one answer has. */
            truncated: boolean;
        };
        SpendRow: {
            /**
             * Format: date-time
             * @description The start of the hour, day or month.
             */
            at?: string;
            account?: string;
            /** @description Empty for keys of no member. */
            member?: string;
            key?: string;
            model?: string;
            /** @description Empty for requests that reached none. */
            provider?: string;
            /** @description Empty for hours before it was summed up. */
            protocol?: string;
            /** @description `ok`, `interrupted` or a kind of fault; empty as above. */
            outcome?: string;
            /** @description Empty for requests that reached no provider, and as above. */
            lane?: string;
            /** @description The value. Empty: the request had none. `other`: beyond 1000 values, or too long. */
            tag?: string;
            /** @description Let in, however they ended. */
            requests: number;
            /** @description Of these, those that failed. */
            failed: number;
            /** @description Recorded requests that were refused; of a flood only some are recorded. */
            refused: number;
            /** @description Failed and refused requests by who is to blame. */
            faults: {
                caller: number;
                upstream: number;
                gateway: number;
            };
            tokens: {
                /** @description With those from caches. */
                input: number;
                /** @description With those of reasoning. */
                output: number;
                /** @description Of the input, read from a cache. */
                cached: number;
                /** @description Of the input, written to a cache. */
                cacheWrite: number;
                /** @description Of the output. */
                reasoning: number;
            };
            /** @description Requests that used something without a price. */
            unpriced: number;
            /** @description What was charged, exact. */
            costUsd: string;
            firstTokenMs: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
            durationMs: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
        };
        Tag: {
            /** @description The name of the tag: a member of `metadata`, an entry of `x-trivium-tags`, or `user`. */
            key: string;
            /** @description Requests without it are refused with 400. */
            required: boolean;
            /**
             * Format: date-time
             * @description When it was declared.
             */
            createdAt: string;
        };
        TagName: {
            /** @description The name of the tag: a member of `metadata`, an entry of `x-trivium-tags`, or `user`. */
            key: string;
        };
        Terms: {
            /**
             * Format: date-time
             * @description Since when, or from when on.
             */
            from: string;
            changePercent: number | null;
            /**
             * Format: date-time
             * @description When they were set.
             */
            createdAt: string;
        };
        UpstreamError: {
            /** @description Absent: there was no answer. */
            status?: number;
            /** @description Of the connection, e.g. `ECONNREFUSED`. */
            code?: string;
            /** @description The upstream's own id of the request. */
            upstreamRequestId?: string;
            /** @description The beginning of what the upstream said, redacted; or what is known instead. */
            text: string;
        };
        UsageFigures: {
            /** @description Let in, however they ended. */
            requests: number;
            /** @description Of these, those that failed. */
            failed: number;
            /** @description Recorded requests that were refused; of a flood only some are recorded. */
            refused: number;
            /** @description Failed and refused requests by who is to blame. */
            faults: {
                caller: number;
                upstream: number;
                gateway: number;
            };
            tokens: {
                /** @description With those from caches. */
                input: number;
                /** @description With those of reasoning. */
                output: number;
                /** @description Of the input, read from a cache. */
                cached: number;
                /** @description Of the input, written to a cache. */
                cacheWrite: number;
                /** @description Of the output. */
                reasoning: number;
            };
            /** @description Requests that used something without a price. */
            unpriced: number;
            /** @description What was charged, exact. */
            costUsd: string;
            firstTokenMs: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
            durationMs: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
        };
        UsageOfRequest: {
            [key: string]: unknown;
        };
        UsageSums: {
            from: string;
            until: string;
            data: {
                [key: string]: unknown;
            }[];
        };
        Webhook: {
            id: string;
            url: string;
            /**
             * Format: date-time
             * @description When it was registered.
             */
            createdAt: string;
            previousUntil: string | null;
            goneAt: string | null;
            events: ("operation.succeeded" | "operation.blocked" | "operation.failed" | "operation.cancelled" | "budget.reached" | "spend.anomaly" | "key.expiring")[] | null;
        };
        WebhookDelivery: {
            /** @description The `webhook-id` of its message: the same for every try. */
            id: string;
            event: string | null;
            /**
             * @description `failed`: it is not tried again by itself.
             * @enum {unknown}
             */
            state: "due" | "delivered" | "failed";
            tries: number;
            nextTryAt: string | null;
            lastTriedAt: string | null;
            lastStatus: number | null;
            lastProblem: string | null;
            /**
             * Format: date-time
             * @description When the event was.
             */
            createdAt: string;
        };
        WebhookWithSecret: {
            webhook: components["schemas"]["Webhook"];
            /** @description Signs its messages. Shown this once. */
            secret: string;
        };
        Wire: {
            captured: boolean;
            why: ("off" | "not-sampled" | "no-error" | "expired" | "erased" | "on-another-node" | "not-stored") | null;
            expiresAt: string | null;
            attempt: number | null;
            /** @description Calls to providers that were captured, in their order. */
            attempts: {
                provider: string;
                model: string;
                lane: string;
            }[];
            panes: {
                callerRequest: components["schemas"]["WirePane"];
                hostRequest: components["schemas"]["WirePane"] | null;
                hostResponse: components["schemas"]["WirePane"] | null;
                callerResponse: components["schemas"]["WirePane"];
            } | null;
            marks: components["schemas"]["WireMark"][];
        };
        WireMark: {
            /**
             * @description S: an edit in passing on (verbatim lane). L: a loss. A: approximated. E: sealed state of a provider. K: a secret was taken out.
             * @enum {unknown}
             */
            kind: "S" | "L" | "A" | "E" | "K";
            path: string | null;
            why: string;
            from: {
                /** @enum {unknown} */
                pane: "callerRequest" | "hostRequest" | "hostResponse" | "callerResponse";
                start: number | null;
                end: number | null;
            } | null;
            to: {
                /** @enum {unknown} */
                pane: "callerRequest" | "hostRequest" | "hostResponse" | "callerResponse";
                start: number | null;
                end: number | null;
            } | null;
        };
        WirePane: {
            /** @description Method and URL, or the status. */
            startLine: string;
            headers: {
                name: string;
                value: string;
                /** @constant */
                redacted?: true;
            }[];
            /** @description Text as it was sent, without secrets. */
            body: string;
            /** @description Length of the whole body in bytes, with what was cut off. */
            bytes: number;
            /** @description Only the beginning of the body is kept. */
            truncated: boolean;
            /** @description Pieces of the body in order: when each passed, since the request arrived, and its length. */
            frames: {
                atMs: number;
                bytes: number;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The operator's secret, or a key that manages its account. */
                    secret?: string;
                    /** @description A one-time code, as `trivium operator sign-in` and `trivium members sign-in` make it. */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSignInProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["SignInProvider"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startSignIn: {
        parameters: {
            query?: {
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                q?: string;
                kind?: "prepaid" | "postpaid" | "unlimited";
                status?: "active" | "suspended";
                sort?: "id" | "name" | "createdAt";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Account"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Chosen, or made up when absent. */
                    id?: string;
                    /** @description For people. */
                    name: string;
                    /**
                     * @description Prepaid: no more than was paid in. Postpaid: up to a limit, billed later. Unlimited: recorded only.
                     * @enum {unknown}
                     */
                    kind: "prepaid" | "postpaid" | "unlimited";
                    /** @description How far a postpaid account may go below zero, in US dollars. Required for postpaid, absent otherwise. */
                    creditLimitUsd?: string;
                    rateLimits?: {
                        /** @description Requests per minute. */
                        requestsPerMinute?: number;
                        /** @description Burst: requests that may come at once before `requestsPerMinute` applies. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower. */
                        burst?: number;
                        /** @description Tokens per minute, input and output. */
                        tokensPerMinute?: number;
                        /** @description USD in a minute. */
                        usdPerMinute?: number;
                        /** @description Requests at once. */
                        inFlight?: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    /**
                     * @description Prepaid: no more than was paid in. Postpaid: up to a limit, billed later. Unlimited: recorded only.
                     * @enum {unknown}
                     */
                    kind?: "prepaid" | "postpaid" | "unlimited";
                    /**
                     * @description Keys of a suspended account are refused.
                     * @enum {unknown}
                     */
                    status?: "active" | "suspended";
                    /** @description How far a postpaid account may go below zero, in US dollars. Required for postpaid, absent otherwise. */
                    creditLimitUsd?: string;
                    rateLimits?: {
                        /** @description Requests per minute. */
                        requestsPerMinute?: number;
                        /** @description Burst: requests that may come at once before `requestsPerMinute` applies. Without it a sixth of that limit, and at least 10 or the limit itself if that is lower. */
                        burst?: number;
                        /** @description Tokens per minute, input and output. */
                        tokensPerMinute?: number;
                        /** @description USD in a minute. */
                        usdPerMinute?: number;
                        /** @description Requests at once. */
                        inFlight?: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                q?: string;
                role?: "viewer" | "developer" | "admin" | "owner";
                sort?: "id" | "name" | "createdAt";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Member"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name: string;
                    email?: string;
                    /**
                     * @description Each may do what the one before may.
                     * @enum {unknown}
                     */
                    role: "viewer" | "developer" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revoked"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    /**
                     * @description Each may do what the one before may.
                     * @enum {unknown}
                     */
                    role?: "viewer" | "developer" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    makeSignInCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInCode"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findKeys: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                q?: string;
                state?: "active" | "expired" | "revoked";
                account?: string;
                member?: string;
                model?: string;
                expiringBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["FoundKey"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Key"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name: string;
                    /** @description The member it belongs to. */
                    memberId?: string;
                    rights?: components["schemas"]["KeyRights"];
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    rights?: components["schemas"]["KeyRights"];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description How long the old secret is taken beside the new one.
                     * @default 0
                     */
                    graceSeconds: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Revoke the keys that were made with it as well.
                     * @default true
                     */
                    children: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revoked"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCredit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credit"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description US dollars, e.g. `20.00`; up to nine decimals. */
                    usd: string;
                    /** @description Names this payment; made up when absent. */
                    id?: string;
                    /** @description Kept with the entry. */
                    memo?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credit"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBudgets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Budget"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetChange"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeBudget: {
        parameters: {
            query: {
                scope: string;
                span: "day" | "month" | "total";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description `account`, `key:<id>` or `member:<id>`. */
                        scope: string;
                        /**
                         * @description Days and months of UTC.
                         * @enum {unknown}
                         */
                        span: "day" | "month" | "total";
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Tag"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    declareTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of the tag: a member of `metadata`, an entry of `x-trivium-tags`, or `user`. */
                    key: string;
                    /**
                     * @description Refuse requests without it, with 400.
                     * @default false
                     */
                    required?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawTag: {
        parameters: {
            query: {
                key: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagName"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLedger: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                from?: string;
                until?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LedgerEntry"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportLedger: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": components["schemas"]["LedgerEntry"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFamily: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Family"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setParent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    parentId: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Family"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Order"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A payment provider of the configuration. */
                    provider: string;
                    /** @description What is to be paid, in the smallest unit of the currency. */
                    amountMinor: number;
                    /** @description ISO 4217 in lower case. */
                    currency: string;
                    /** @description US dollars, e.g. `20.00`; up to nine decimals. */
                    creditUsd: string;
                    /** @description Made up when absent. */
                    id?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                account?: string;
                after?: string;
                limit?: string;
                q?: string;
                actor?: string;
                action?: string;
                subject?: string;
                from?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AuditEntry"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerdict"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAccountAudit: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                q?: string;
                actor?: string;
                action?: string;
                subject?: string;
                from?: string;
                until?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AuditEntry"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Provider"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderDetail"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    releaseProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only the circuit of this model. Absent: all. */
                    model?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Released"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the host asks for. */
                    credential: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Host"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Tried in place of the one that is used, and kept nowhere. */
                    credential?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialVerdict"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rewrapCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewrapped"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                q?: string;
                owner?: string;
                provider?: string;
                callable?: "true" | "false";
                account?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Model"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getModel: {
        parameters: {
            query?: {
                account?: string;
            };
            header?: never;
            path: {
                owner: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Webhook"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Where messages are posted. */
                    url: string;
                    events?: ("operation.succeeded" | "operation.blocked" | "operation.failed" | "operation.cancelled" | "budget.reached" | "spend.anomaly" | "key.expiring")[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    events: ("operation.succeeded" | "operation.blocked" | "operation.failed" | "operation.cancelled" | "budget.reached" | "spend.anomaly" | "key.expiring")[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
            };
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["WebhookDelivery"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description How long the old secret is taken beside the new one.
                     * @default 0
                     */
                    graceSeconds: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                kind?: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
                state?: "open";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Alert"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAccountAlerts: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                kind?: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
                state?: "open";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Alert"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AlertRule"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertDestinations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AlertDestination"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Form of the messages. `webhook`: a signed event in the form of Standard Webhooks.
                     * @enum {unknown}
                     */
                    kind: "webhook" | "slack" | "teams" | "discord" | "mail";
                    /** @description For people. */
                    name: string;
                    /** @description Where messages are posted, private addresses included; for every kind but `mail`. */
                    url?: string;
                    /** @description Mail addresses; for the kind `mail`. */
                    to?: string[];
                    events?: ("budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back")[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedAlertDestination"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    events?: ("budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back")[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDestination"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertDeliveries: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["WebhookDelivery"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendAlertDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPrices: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Price"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setPrice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The model. */
                    model: string;
                    /** @description The host. */
                    provider: string;
                    /** @description One of its formats; absent: all. */
                    dialect?: string;
                    /** @description The first day it holds, UTC. */
                    from?: string;
                    /** @description The first day it holds no more, UTC. */
                    until?: string;
                    /** @description Rows by kind, as in the catalogue; kinds that are not named stay as they are. */
                    pricings: {
                        [key: string]: unknown[];
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawPrice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPriceVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PriceVersion"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTerms: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Terms"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setTerms: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changePercent: number | null;
                    /** @description The first day, UTC; absent: at once. */
                    from?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terms"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                by?: string;
                model?: string;
                key?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageSums"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsageOfRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageOfRequest"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSpend: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                by?: string;
                bucket?: "hour" | "day" | "month";
                tz?: string;
                account?: string;
                member?: string;
                key?: string;
                model?: string;
                provider?: string;
                protocol?: string;
                outcome?: string;
                lane?: string;
                tag?: string;
                latency?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spend"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportSpendCsv: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                by?: string;
                bucket?: "hour" | "day" | "month";
                tz?: string;
                account?: string;
                member?: string;
                key?: string;
                model?: string;
                provider?: string;
                protocol?: string;
                outcome?: string;
                lane?: string;
                tag?: string;
                latency?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": components["schemas"]["SpendRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportSpendFocus: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                by?: string;
                bucket?: "hour" | "day" | "month";
                tz?: string;
                account?: string;
                member?: string;
                key?: string;
                model?: string;
                provider?: string;
                protocol?: string;
                outcome?: string;
                lane?: string;
                tag?: string;
                latency?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": components["schemas"]["SpendRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                tz?: string;
                account?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                after?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["RequestRow"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportRequestsCsv: {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportRequestsNdjson: {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRequestHistogram: {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                bucketSeconds?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestHistogram"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followRequests: {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestDetail"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAccountRequests: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                after?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["RequestRow"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportAccountRequestsCsv: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportAccountRequestsNdjson: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                limit?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountRequestHistogram: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
                bucketSeconds?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestHistogram"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followAccountRequests: {
        parameters: {
            query?: {
                from?: string;
                until?: string;
                id?: string;
                key?: string;
                member?: string;
                model?: string;
                askedModel?: string;
                provider?: string;
                protocol?: string;
                operation?: string;
                outcome?: string;
                status?: string;
                minCostUsd?: string;
                minDurationMs?: string;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RequestRow"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestDetail"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseAccountContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedContent"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRecordsChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getKeyRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRecords"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeKeyRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRecordsChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRecords"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRequestWire: {
        parameters: {
            query?: {
                attempt?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wire"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountRequestWire: {
        parameters: {
            query?: {
                attempt?: string;
            };
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wire"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReplay"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayAccountRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReplay"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAllOperations: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                state?: "submitting" | "running" | "unknown" | "done" | "failed" | "cancelled" | "refused";
                account?: string;
                model?: string;
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Operation"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                after?: string;
                limit?: string;
                state?: "submitting" | "running" | "unknown" | "done" | "failed" | "cancelled" | "refused";
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Operation"][];
                        next: string | null;
                    };
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callPlayground: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The key the call is made as, and charged to. */
                    keyId: string;
                    /** @description A path of the data plane, e.g. `/api/v1/chat/completions`. */
                    path: string;
                    /** @description `accept`, `anthropic-beta`, `anthropic-version`, `idempotency-key`, `openai-beta`, `traceparent` and `x-trivium-…`. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description JSON, sent as it is with POST. Absent: a GET. */
                    body?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaygroundAnswer"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nodes"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConfiguration: {
        parameters: {
            query?: {
                node?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diffConfiguration: {
        parameters: {
            query?: {
                node?: string;
                against?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationDiff"];
                };
            };
            /** @description Not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
