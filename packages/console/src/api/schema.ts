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
         * Returns the session of the cookie.
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
         * Ends the session of the cookie on all nodes.
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
         * Returns the current identity, its role and the CSRF token.
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
         * Lists the identity providers for sign-in.
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
         * Redirects the browser to an identity provider.
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
         * Completes sign-in at an identity provider: opens a session and sets its cookie.
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
         * Lists accounts.
         * @description For operators.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Creates an account.
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
         * Returns an account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the name, kind, credit limit, rate limits or status of an account.
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
         * Lists the members of an account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Adds a member, with at most the role of its creator.
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
         * Changes the name or role of a member. The member's keys follow at once.
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
         * Creates a link that signs a member in once, within ten minutes.
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
         * Searches keys of the database and of the configuration; operators search all accounts.
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
         * Lists the keys of an account, including revoked ones.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Creates a key. The secret is returned only here. A key created with a key has at most the rights of that key.
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
         * Returns a key.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Renames a key or restricts its rights. Omitted rights stay; no right can be widened.
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
         * Creates a new secret for a key. The old secret stays valid for `graceSeconds`.
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
         * Revokes a key and its child keys, on all nodes within 1 s.
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
         * Returns the credit of an account: paid in, spent, held and leased to nodes.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getCredit"];
        put?: never;
        /**
         * Credits, or with a negative amount debits, the free balance. Idempotent by `id`; another amount with the same id is a conflict.
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
         * Lists the budgets of an account, with what is spent of each.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listBudgets"];
        put?: never;
        /**
         * Sets a daily, monthly or total budget for an account, a key, a member or a tag.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        post: operations["setBudget"];
        /**
         * Deletes a budget. Other budgets and the balance still apply.
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
         * Lists the declared tags of an account.
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
         * Withdraws a tag: it is no longer summed up or required. Earlier sums stay.
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
         * Lists ledger entries of an account, newest first, with the balance after each.
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
         * Exports ledger entries as CSV, oldest first, with the balance after each.
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
         * Returns the accounts above an account and directly below it.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getFamily"];
        put?: never;
        /**
         * Moves an account below another, or with null to the top. `group` budgets of the accounts above apply to it.
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
         * Lists the orders of an account, by id.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Creates an order: an amount to pay, and the credit granted when a signed event confirms exactly that payment.
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
         * Returns an order.
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
         * Lists audit entries, newest first.
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
         * Verifies the audit log's hash chain.
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
         * Lists audit entries of an account, newest first.
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
         * Lists providers that are configured or have a stored credential, with their health.
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
         * Returns a provider: circuit breaker of each model, credentials, and outcomes of the last two hours.
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
         * Closes the open circuit breakers of a provider on all nodes, so that it gets calls at once.
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
         * Stores or replaces the credential of a provider. The configuration file takes precedence.
         * @description For operators.
         */
        post: operations["setCredential"];
        /**
         * Deletes the stored credential of a provider.
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
         * Tests the credential in use, or one in the request, which is not stored.
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
         * Re-encrypts all stored secrets with the first of `secrets.keys`, so that the other keys can be removed.
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
         * Lists models by id, with endpoints, prices and whether they can be called. Members see callable models only.
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
         * Returns a model by id or alias, with all endpoints and prices.
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
         * Lists the webhooks of an account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Adds a webhook and returns the secret that signs its messages.
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
         * Deletes a webhook and its pending messages.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        /**
         * Changes the events of a webhook.
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
         * Sends a test message (`webhook.test`). Its deliveries show the result.
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
         * Lists the messages to a webhook of the last seven days, newest first.
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
         * Sends a message to a webhook again, with a new set of attempts.
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
         * Creates a new secret for a webhook. Messages are signed with both while the old secret is valid.
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
         * Lists alerts of all accounts and of the gateway, newest first.
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
         * Lists alerts of an account, newest first.
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
         * Lists the alert rules with their configured values.
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
         * Acknowledges an alert, so that it is no longer listed as open.
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
         * Lists the destinations of alerts.
         * @description For operators.
         */
        get: operations["listAlertDestinations"];
        put?: never;
        /**
         * Adds a destination for alerts: a signed webhook, Slack, Teams, Discord or mail.
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
         * Deletes a destination and its pending messages.
         * @description For operators.
         */
        delete: operations["removeAlertDestination"];
        options?: never;
        head?: never;
        /**
         * Changes the name or the kinds of alerts of a destination.
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
         * Sends a test message to a destination. Its deliveries show the result.
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
         * Lists the messages to a destination of the last seven days, newest first.
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
         * Sends a message to a destination again, with a new set of attempts.
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
         * Lists price overrides, including withdrawn ones.
         * @description For operators.
         */
        get: operations["listPrices"];
        put?: never;
        /**
         * Overrides the prices of a model at a provider, optionally for a period. The configuration file takes precedence.
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
         * Withdraws price overrides. Past charges are unchanged.
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
         * Returns the prices behind a price version on a bill.
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
         * Lists the markups and discounts of an account, latest first.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["listTerms"];
        put?: never;
        /**
         * Sets a markup or discount for an account, at once or from a day. The configuration file takes precedence.
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
         * Sums requests, tokens and cost of an account.
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
         * Returns usage, bill, attempts, losses and timings of a request.
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
         * Sums spend, requests, tokens, errors and latency: operators over all accounts, members over their own.
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
         * Exports spend as CSV in one answer. The header `x-trivium-max-rows` has the maximum.
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
         * Exports charges by day, account, key, model and provider as CSV in the FOCUS 1.2 format.
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
         * Returns key figures compared with the previous period, time series, warnings, top keys and budgets closest to their limit.
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
         * Lists requests of all accounts by time of arrival.
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
         * Exports requests of all accounts as CSV in one answer. The header `x-trivium-max-rows` has the maximum.
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
         * Exports requests of all accounts as lines of JSON in one answer. The header `x-trivium-max-rows` has the maximum.
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
         * Counts successful and failed requests of all accounts over time, by responsible party.
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
         * Streams requests of all accounts as they end, as server-sent events: `row`, and `gap` where some are missing.
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
         * Returns a request of all accounts: attempts with their phases, decision, losses, usage and bill.
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
         * Lists requests of the account by time of arrival.
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
         * Exports requests of the account as CSV in one answer. The header `x-trivium-max-rows` has the maximum.
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
         * Exports requests of the account as lines of JSON in one answer. The header `x-trivium-max-rows` has the maximum.
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
         * Counts successful and failed requests of the account over time, by responsible party.
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
         * Streams requests of the account as they end, as server-sent events: `row`, and `gap` where some are missing.
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
         * Returns a request of the account: attempts with their phases, decision, losses, usage and bill.
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
         * Returns the capture rule of an account.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getAccountRecords"];
        put?: never;
        post?: never;
        /**
         * Erases all captured content of an account by deleting its data key.
         * @description For operators, and for keys and members of the account that manage it as admin or more.
         */
        delete: operations["eraseAccountContent"];
        options?: never;
        head?: never;
        /**
         * Starts capturing the content of requests until a date, or stops it.
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
         * Returns the capture rule of a key.
         * @description For operators, and for keys and members of the account that manage it as viewer or more.
         */
        get: operations["getKeyRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Sets capture for one key; overrides the account's rule.
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
         * Returns the captured bytes of a request of any account, with marks for each change. Reading is recorded in the audit log.
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
         * Returns the captured bytes of a request of the account (the caller's side), with marks for each change. Reading is recorded in the audit log.
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
         * Replays a captured request of any account as a key of its account, with the same or another model or provider, or plans it only.
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
         * Replays a captured request of the account as a key of its account, with the same or another model or provider, or plans it only.
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
         * Lists operations of all accounts, latest first.
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
         * Lists operations of an account, latest first.
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
         * Returns an operation and its progress.
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
         * Cancels an operation; nothing is charged and no result is fetched.
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
         * Makes a data plane call as a key, with its rights, limits, prices and records. Streams the answer.
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
         * Lists serving processes with version, listeners, configuration, load and backlog.
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
         * Returns the settings in force without secrets, and the source of each.
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
         * Compares the settings of a node with its current file or another node, and says whether a restart is needed.
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
            /** @description Display name. */
            name: string;
            /**
             * @description `prepaid`: spends what was paid in. `postpaid`: up to a credit limit, billed later. `unlimited`: recorded only.
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
             * @description Creation time.
             */
            createdAt: string;
        };
        AccountRecords: {
            /**
             * @description Requests to capture: none, those with a failure (their own or of a call to a provider), a share, or all.
             * @enum {unknown}
             */
            bodies: "off" | "errors" | "sample" | "all";
            /** @description The share with `sample`, in percent. */
            samplePercent: number;
            /** @description Retention of captured content, in hours. */
            keepHours: number;
            until: string | null;
            /** @description Whether anything is captured now. */
            active: boolean;
            /**
             * @description Storage of content at the answering node.
             * @enum {unknown}
             */
            storage: "folder" | "s3";
            warning: string | null;
        };
        AccountRecordsChange: {
            /**
             * @description Requests to capture: none, those with a failure (their own or of a call to a provider), a share, or all.
             * @enum {unknown}
             */
            bodies?: "off" | "errors" | "sample" | "all";
            /** @description The share with `sample`, in percent. */
            samplePercent?: number;
            /** @description Retention of captured content, in hours. */
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
             * @description Kind of alert.
             * @enum {unknown}
             */
            kind: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
            accountId: string | null;
            /** @description The budget, key, provider or model concerned. */
            subject: string;
            /** @description One sentence for people. */
            title: string;
            detail: {
                [key: string]: string | number;
            };
            /**
             * Format: date-time
             * @description Time the alert was raised.
             */
            raisedAt: string;
            /**
             * Format: date-time
             * @description Last confirmation of an outage; else equal to `raisedAt`.
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
            /** @description Display name. */
            name: string;
            /** @description The host of its URL, or the mail addresses. The URL itself is not shown. */
            target: string;
            events: ("budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back")[] | null;
            /**
             * Format: date-time
             * @description Creation time.
             */
            createdAt: string;
            goneAt: string | null;
        };
        AlertRule: {
            /**
             * @description Kind of alert.
             * @enum {unknown}
             */
            kind: "budget.reached" | "spend.anomaly" | "key.expiring" | "usage.unpriced" | "usage.suspect" | "provider.out" | "provider.back" | "ledger.audit_failed" | "ledger.set_back";
            enabled: boolean;
            /** @description The condition, with the values of this configuration. */
            raisedWhen: string;
            /** @description Minimum time between two alerts. */
            window: string;
            /** @enum {unknown} */
            audience: "operators" | "operators and the account";
        };
        AuditEntry: {
            id: string;
            /**
             * Format: date-time
             * @description Time of the change.
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
            /** @description Limit in US dollars. */
            usd: string;
            /**
             * @description Members and managing keys of the account change or remove only those that one of them has set.
             * @enum {unknown}
             */
            setBy: "operator" | "member";
            /** @description Charged in the current day or month, or in total. */
            spentUsd: string;
            /** @description Held for requests in progress. */
            heldUsd: string;
        };
        BudgetChange: {
            /** @description `account`, `key:<id>` or `member:<id>`. */
            scope: string;
            /**
             * @description Days and months in UTC.
             * @enum {unknown}
             */
            span: "day" | "month" | "total";
            /** @description US dollars, e.g. `20.00`; up to nine decimals. */
            usd: string;
        };
        /** @description State on the answering node; each node has its own circuit breakers. */
        Circuit: {
            /**
             * @description State of the circuit breaker. `open`: no calls. `half-open`: one trial call.
             * @enum {unknown}
             */
            state: "closed" | "open" | "half-open";
            why: ("failures" | "stalls" | "credential" | "rate" | "hint") | null;
            since: string | null;
            until: string | null;
        };
        Configuration: {
            node: string;
            /** @description Hash of all shown settings: nodes with equal hashes have equal settings, except secrets. */
            hash: string;
            items: components["schemas"]["Setting"][];
        };
        ConfigurationDiff: {
            node: string;
            against: string | null;
            /** @description Whether any difference takes effect only with a new process. */
            needsRestart: boolean;
            /** @description Why the file is not valid; `items` is empty then. */
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
             * @description Result of listing models with it. `unclear`: neither accepted nor rejected. `none`: no credential, or no way to check.
             * @enum {unknown}
             */
            verdict: "works" | "refused" | "unclear" | "unreachable" | "none";
            status: number | null;
            error: components["schemas"]["UpstreamError"] | null;
        };
        Credit: {
            /**
             * @description `prepaid`: spends what was paid in. `postpaid`: up to a credit limit, billed later. `unlimited`: recorded only.
             * @enum {unknown}
             */
            kind: "prepaid" | "postpaid" | "unlimited";
            /** @description Total paid in. */
            creditUsd: string;
            /** @description Total charged. */
            spentUsd: string;
            /** @description Held for requests in progress. */
            heldUsd: string;
            /** @description Leased to gateway nodes for requests to come. Not spent; what they do not use is returned. */
            leasedUsd: string;
            /** @description Credit limit of a postpaid account. */
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
            /** @description Display name. */
            name: string;
            /** @description First characters of the secret. Empty: the configuration has only its hash. */
            prefix: string;
            rights: components["schemas"]["KeyRights"];
            createdAt: string | null;
            revokedAt: string | null;
            previousUntil: string | null;
            /**
             * @description Keys from the file are changed in the file.
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
             * @description Source of the credential in use; the file takes precedence.
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
            /** @description Display name. */
            name: string;
            /** @description First characters of the secret. */
            prefix: string;
            rights: components["schemas"]["KeyRights"];
            /**
             * Format: date-time
             * @description Creation time.
             */
            createdAt: string;
            revokedAt: string | null;
            previousUntil: string | null;
        };
        KeyRecords: {
            /**
             * @description As for an account; `inherit`: the account's rule.
             * @enum {unknown}
             */
            bodies: "off" | "errors" | "sample" | "all" | "inherit";
            /** @description The share with `sample`, in percent. */
            samplePercent: number;
            /** @description Retention of captured content, in hours. */
            keepHours: number;
            until: string | null;
            /** @description Whether anything is captured now. */
            active: boolean;
            /**
             * @description Storage of content at the answering node.
             * @enum {unknown}
             */
            storage: "folder" | "s3";
            warning: string | null;
        };
        KeyRecordsChange: {
            /**
             * @description As for an account; `inherit`: the account's rule.
             * @enum {unknown}
             */
            bodies?: "off" | "errors" | "sample" | "all" | "inherit";
            /** @description The share with `sample`, in percent. */
            samplePercent?: number;
            /** @description Retention of captured content, in hours. */
            keepHours?: number;
            /** @description When capturing ends, at most 31 days from now. Required unless it is off. */
            until?: string;
        };
        KeyRights: {
            /** @description Models it may use; an entry may end in `*`. Absent: all. */
            models?: string[];
            /** @description Providers it may use. Absent: all. */
            providers?: string[];
            /** @description Protocols it may use. Absent: all. */
            protocols?: ("chat" | "messages" | "genai")[];
            /** @description Endpoints it may call. Absent: all. */
            endpoints?: ("text" | "embed" | "image" | "video" | "count")[];
            /** @description Addresses or ranges it may be used from. Absent: everywhere. */
            addresses?: string[];
            /** @description Expiry time. */
            expiresAt?: string;
            /** @description Reject requests whose parameters would be dropped or changed. */
            strict?: boolean;
            /** @description Losses that do not fail a strict request. */
            tolerates?: string[];
            /** @description Rate limits of this key; omitted members follow `rateLimits` of the configuration. */
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
             * @description Each role includes the permissions of the one before.
             * @enum {unknown}
             */
            manages?: "viewer" | "developer" | "admin" | "owner";
        };
        KeyWithSecret: {
            key: components["schemas"]["Key"];
            /** @description Returned only here. */
            secret: string;
        };
        LedgerEntry: {
            /** @description Sequence number in the account, from 1 without gaps. */
            sequence: string;
            /**
             * Format: date-time
             * @description Time of the entry.
             */
            at: string;
            /** @description Id of the charged request, or of the payment. */
            id: string;
            /**
             * @description `refund`: an estimate had charged too much.
             * @enum {unknown}
             */
            kind: "deposit" | "withdrawal" | "charge" | "refund";
            /** @description Negative: taken from the account. */
            amountUsd: string;
            /** @description Balance after this entry. */
            balanceUsd: string;
            requestId: string | null;
            /** @description Charged by an estimate of the gateway. */
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
                 * @description Sign-in method.
                 * @enum {unknown}
                 */
                method: "secret" | "key" | "code" | "oidc";
                /**
                 * Format: date-time
                 * @description Time of sign-in.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Latest end of the session; without use it ends after 12 hours.
                 */
                endsAt: string;
            } | null;
        };
        Member: {
            id: string;
            /** @description Display name. */
            name: string;
            email: string | null;
            /**
             * @description Each role includes the permissions of the one before.
             * @enum {unknown}
             */
            role: "viewer" | "developer" | "admin" | "owner";
            /**
             * Format: date-time
             * @description Creation time.
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
            /** @description Prices for other cases. */
            otherPrices: {
                /** @description The case they apply to. */
                basis: string;
                when: {
                    [key: string]: unknown;
                } | null;
                meters: string[] | null;
                prices: components["schemas"]["ModelPrice"][];
            }[];
        };
        ModelPrice: {
            /** @description Charged dimension, e.g. `prompt` or `completion`. */
            kind: string;
            /** @description Unit of the price, e.g. `perMTokens`. */
            unit: string;
            /** @description US dollars per unit, with the markup or discount of the account. */
            usd: string;
            /** @description Token ranges it applies to. */
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
            /** @description Reject the request if a parameter would be dropped or changed. */
            strict?: boolean;
            /** @description Only plan it: nothing is sent, held or charged. */
            dryRun?: boolean;
        };
        Node: {
            /** @description Machine, process and a name of its own. A worker is a node. */
            id: string;
            /** @description Whether it is the answering node. */
            self: boolean;
            hostname: string;
            pid: number;
            version: string;
            /**
             * Format: date-time
             * @description Start time.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description Time of the last report. Nodes silent for a minute are not listed.
             */
            seenAt: string;
            unready: string | null;
            /** @description Number of configurations applied since the start. */
            generation: number;
            /** @description Hash of all shown settings: nodes with equal hashes have equal settings, except secrets. */
            configHash: string;
            /**
             * Format: date-time
             * @description Time the configuration took effect.
             */
            configLoadedAt: string;
            listeners: {
                /** @description Address for callers. */
                data: string;
                /** @description Address for operators. */
                admin: string;
                members: string | null;
            };
            /** @description Requests in progress. */
            inFlight: number;
            /** @description Calls to providers in progress. */
            upstreamExchanges: number;
            /** @description Holds on money that are not settled. */
            openHolds: number;
            /** @description Settlements not yet in the database. */
            unpostedSettlements: number;
            /** @description Finished requests whose usage is not yet in the database. */
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
            /** @description Name for polling. */
            name: string;
            model: string;
            /** @description Provider. */
            provider: string;
            /**
             * @description State of the operation.
             * @enum {unknown}
             */
            state: "submitting" | "running" | "unknown" | "done" | "failed" | "cancelled" | "refused";
            percent: number | null;
            /** @description Videos it has delivered. */
            videos: number;
            /** @description Videos blocked by a filter. */
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
             * @description Creation time.
             */
            createdAt: string;
            finishedAt: string | null;
            /**
             * Format: date-time
             * @description Expiry of the operation.
             */
            expiresAt: string;
        };
        Order: {
            id: string;
            accountId: string;
            /** @description A payment provider of the configuration. */
            provider: string;
            /** @description Amount to pay, in the smallest unit of the currency. */
            amountMinor: number;
            /** @description ISO 4217 in lower case. */
            currency: string;
            /** @description US dollars, e.g. `20.00`; up to nine decimals. */
            creditUsd: string;
            /** @enum {unknown} */
            state: "open" | "paid";
            /**
             * Format: date-time
             * @description Creation time.
             */
            createdAt: string;
            paidAt: string | null;
        };
        Overview: {
            /**
             * Format: date-time
             * @description Start of the period.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive.
             */
            until: string;
            /** @enum {unknown} */
            bucket: "hour" | "day";
            now: components["schemas"]["UsageFigures"];
            /** @description The previous period of the same length. */
            before: {
                /** @description Admitted requests, whatever their outcome. */
                requests: number;
                /** @description Failed requests among them. */
                failed: number;
                /** @description Recorded requests that were refused; of a flood only some are recorded. */
                refused: number;
                /** @description Failed and refused requests by responsible party. */
                faults: {
                    caller: number;
                    upstream: number;
                    gateway: number;
                };
                tokens: {
                    /** @description Input tokens, including cached ones. */
                    input: number;
                    /** @description Output tokens, including reasoning. */
                    output: number;
                    /** @description Cached input tokens. */
                    cached: number;
                    /** @description Input tokens written to a cache. */
                    cacheWrite: number;
                    /** @description Reasoning tokens. */
                    reasoning: number;
                };
                /** @description Requests that used something without a price. */
                unpriced: number;
                /** @description Exact amount charged. */
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
                /** @description One of the five most expensive models; empty: all others. */
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
             * @description Creation time.
             */
            createdAt: string;
            withdrawnAt: string | null;
        };
        PriceVersion: {
            version: string;
            /**
             * Format: date-time
             * @description First use of this version.
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
             * @description Source of the credential in use; the file takes precedence.
             * @enum {unknown}
             */
            credential: "file" | "database" | "none";
            storedAt: string | null;
            displayName: string;
            /** @description False: it is known only by its stored credential. */
            configured: boolean;
            /** @description Origins of its endpoints. */
            origins: string[];
            /** @description In the order they are tried in. Their values are never shown. */
            credentials: {
                /** @description Position in the configuration, from 1; credentials are tried in this order. */
                position: number;
                /** @enum {unknown} */
                source: "file" | "database";
            }[];
            /** @description Number of callable models. */
            models: number;
            /** @description Number of models with an open circuit breaker. */
            openCircuits: number;
            /** @description Retry budget of the answering node. */
            retryBudget: {
                /** @description Retries that may be made now. */
                left: number;
                /** @description Most that can be saved up. */
                max: number;
                /** @description Retries added per 100 requests. */
                percent: number;
            };
        };
        ProviderDetail: {
            id: string;
            /**
             * @description Source of the credential in use; the file takes precedence.
             * @enum {unknown}
             */
            credential: "file" | "database" | "none";
            storedAt: string | null;
            displayName: string;
            /** @description False: it is known only by its stored credential. */
            configured: boolean;
            /** @description Origins of its endpoints. */
            origins: string[];
            /** @description In the order they are tried in. Their values are never shown. */
            credentials: {
                /** @description Position in the configuration, from 1; credentials are tried in this order. */
                position: number;
                /** @enum {unknown} */
                source: "file" | "database";
            }[];
            /** @description Number of callable models. */
            models: number;
            /** @description Number of models with an open circuit breaker. */
            openCircuits: number;
            /** @description Retry budget of the answering node. */
            retryBudget: {
                /** @description Retries that may be made now. */
                left: number;
                /** @description Most that can be saved up. */
                max: number;
                /** @description Retries added per 100 requests. */
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
                     * @description Start of the bar.
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
             * @description State of the circuit breaker. `open`: no calls. `half-open`: one trial call.
             * @enum {unknown}
             */
            state: "closed" | "open" | "half-open";
            why: ("failures" | "stalls" | "credential" | "rate" | "hint") | null;
            since: string | null;
            until: string | null;
            failuresInRow: number;
            /** @description Failures by silence among them. */
            stallsInRow: number;
            firstTokenMs: number | null;
            wholeAnswerMs: number | null;
            /** @description Requests that wait for a first token there, where there was a choice. */
            waiting: number;
            credentials: {
                /** @description Position in the configuration, from 1; credentials are tried in this order. */
                position: number;
                /**
                 * @description State of the circuit breaker. `open`: no calls. `half-open`: one trial call.
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
                /** @description The answer as the caller would get it. */
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
            /** @description Start of the attempt. All times of attempts count from the arrival of the request. */
            startMs?: number;
            /** @description A new connection was established. */
            connectedMs?: number;
            /** @description The request was sent. */
            sentMs?: number;
            /** @description Status and headers arrived. */
            headMs?: number;
            /** @description The first content arrived. */
            firstContentMs?: number;
            /** @description The attempt failed, or its answer was passed on completely. */
            endMs?: number;
            /** @description The pause before it. */
            waitMs?: number;
            /** @description Wait requested by the provider. */
            retryAfterMs?: number;
            /**
             * @description One of two parallel attempts.
             * @enum {unknown}
             */
            hedge?: "won" | "lost";
            sealsStripped?: boolean;
            /** @description Position of the credential in the configuration, from 1. Operators only. */
            credential?: number;
            error?: components["schemas"]["UpstreamError"];
            /** @description Usage of an attempt that did not answer the caller. Operators only. */
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
             * @description Time of arrival.
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
             * @description Responsible party: caller, upstream or gateway.
             * @enum {unknown}
             */
            outcomeClass: "ok" | "caller" | "upstream" | "gateway";
            /** @description The HTTP status the caller got; 200 of a stream that broke off. */
            status: number;
            /** @description Refused before admission; no provider was called. */
            refused: boolean;
            inputTokens: number;
            outputTokens: number;
            /** @description Cached input tokens. */
            cachedTokens: number;
            costUsd: string | null;
            /** @description Some of the usage is estimated by the gateway. */
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
                 * @description Start of the bar.
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
             * @description Time of arrival.
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
             * @description Responsible party: caller, upstream or gateway.
             * @enum {unknown}
             */
            outcomeClass: "ok" | "caller" | "upstream" | "gateway";
            /** @description The HTTP status the caller got; 200 of a stream that broke off. */
            status: number;
            /** @description Refused before admission; no provider was called. */
            refused: boolean;
            inputTokens: number;
            outputTokens: number;
            /** @description Cached input tokens. */
            cachedTokens: number;
            costUsd: string | null;
            /** @description Some of the usage is estimated by the gateway. */
            estimated: boolean;
            firstTokenMs: number | null;
            /** @description From its arrival to its end, in ms. */
            durationMs: number;
            /** @description Number of attempts. */
            attempts: number;
            /** @description Number of losses. */
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
             * @description Source of the value. `database`: a credential stored by an operator.
             * @enum {unknown}
             */
            source: "file" | "environment" | "database" | "default";
            place: string | null;
        };
        SettingChange: {
            /** @description `limits.jsonDepth`; an entry of a list has its name or id: `keys.ci`. */
            path: string;
            /**
             * @description Change from the node to the other side.
             * @enum {unknown}
             */
            change: "added" | "removed" | "changed";
            /** @description Value at the node. Null: absent. */
            from: unknown;
            /** @description Value at the other side. Null: absent. */
            to: unknown;
            /** @description Whether the setting is a secret; secrets are not compared between nodes. */
            secret: boolean;
            place: string | null;
            needsRestart: boolean;
        };
        SignedOut: {
            signedOut: boolean;
        };
        SignInCode: {
            /** @description Signs in once. Returned only here. */
            code: string;
            /** @description Sign-in page with the code in the fragment, which browsers do not send. */
            url: string;
            /**
             * Format: date-time
             * @description Expiry time.
             */
            expiresAt: string;
        };
        SignInProvider: {
            id: string;
            /** @description Label of the button. */
            name: string;
        };
        Spend: {
            /**
             * Format: date-time
             * @description Start of the period.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive.
             */
            until: string;
            tz: string;
            /** @description By time, then most expensive first. */
            items: components["schemas"]["SpendRow"][];
            /** @description More rows exist than were returned. */
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
            /** @description Admitted requests, whatever their outcome. */
            requests: number;
            /** @description Failed requests among them. */
            failed: number;
            /** @description Recorded requests that were refused; of a flood only some are recorded. */
            refused: number;
            /** @description Failed and refused requests by responsible party. */
            faults: {
                caller: number;
                upstream: number;
                gateway: number;
            };
            tokens: {
                /** @description Input tokens, including cached ones. */
                input: number;
                /** @description Output tokens, including reasoning. */
                output: number;
                /** @description Cached input tokens. */
                cached: number;
                /** @description Input tokens written to a cache. */
                cacheWrite: number;
                /** @description Reasoning tokens. */
                reasoning: number;
            };
            /** @description Requests that used something without a price. */
            unpriced: number;
            /** @description Exact amount charged. */
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
             * @description Creation time.
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
             * @description Start of validity.
             */
            from: string;
            changePercent: number | null;
            /**
             * Format: date-time
             * @description Creation time.
             */
            createdAt: string;
        };
        UpstreamError: {
            /** @description Absent: there was no answer. */
            status?: number;
            /** @description Code of a connection error, e.g. `ECONNREFUSED`. */
            code?: string;
            /** @description The upstream's own id of the request. */
            upstreamRequestId?: string;
            /** @description Beginning of the provider's message, redacted; else the known cause. */
            text: string;
        };
        UsageFigures: {
            /** @description Admitted requests, whatever their outcome. */
            requests: number;
            /** @description Failed requests among them. */
            failed: number;
            /** @description Recorded requests that were refused; of a flood only some are recorded. */
            refused: number;
            /** @description Failed and refused requests by responsible party. */
            faults: {
                caller: number;
                upstream: number;
                gateway: number;
            };
            tokens: {
                /** @description Input tokens, including cached ones. */
                input: number;
                /** @description Output tokens, including reasoning. */
                output: number;
                /** @description Cached input tokens. */
                cached: number;
                /** @description Input tokens written to a cache. */
                cacheWrite: number;
                /** @description Reasoning tokens. */
                reasoning: number;
            };
            /** @description Requests that used something without a price. */
            unpriced: number;
            /** @description Exact amount charged. */
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
             * @description Creation time.
             */
            createdAt: string;
            previousUntil: string | null;
            goneAt: string | null;
            events: ("operation.succeeded" | "operation.blocked" | "operation.failed" | "operation.cancelled" | "budget.reached" | "spend.anomaly" | "key.expiring")[] | null;
        };
        WebhookDelivery: {
            /** @description The `webhook-id` of its message, the same for every attempt. */
            id: string;
            event: string | null;
            /**
             * @description `failed`: not retried automatically.
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
             * @description Time of the event.
             */
            createdAt: string;
        };
        WebhookWithSecret: {
            webhook: components["schemas"]["Webhook"];
            /** @description Signs its messages. Returned only here. */
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
                    /** @description Default: generated. */
                    id?: string;
                    /** @description Display name. */
                    name: string;
                    /**
                     * @description `prepaid`: spends what was paid in. `postpaid`: up to a credit limit, billed later. `unlimited`: recorded only.
                     * @enum {unknown}
                     */
                    kind: "prepaid" | "postpaid" | "unlimited";
                    /** @description Credit limit in US dollars. Required for `postpaid`, not allowed otherwise. */
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
                    /** @description Display name. */
                    name?: string;
                    /**
                     * @description `prepaid`: spends what was paid in. `postpaid`: up to a credit limit, billed later. `unlimited`: recorded only.
                     * @enum {unknown}
                     */
                    kind?: "prepaid" | "postpaid" | "unlimited";
                    /**
                     * @description Keys of a suspended account are refused.
                     * @enum {unknown}
                     */
                    status?: "active" | "suspended";
                    /** @description Credit limit in US dollars. Required for `postpaid`, not allowed otherwise. */
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
                    /** @description Display name. */
                    name: string;
                    email?: string;
                    /**
                     * @description Each role includes the permissions of the one before.
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
                    /** @description Display name. */
                    name?: string;
                    /**
                     * @description Each role includes the permissions of the one before.
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
                    /** @description Display name. */
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
                    /** @description Display name. */
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
                     * @description How long the old secret stays valid, in seconds.
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
                     * @description Also revoke keys created with it.
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
                    /** @description Idempotency key of this payment. Default: generated. */
                    id?: string;
                    /** @description Note stored with the entry. */
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
                         * @description Days and months in UTC.
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
                    /** @description Amount to pay, in the smallest unit of the currency. */
                    amountMinor: number;
                    /** @description ISO 4217 in lower case. */
                    currency: string;
                    /** @description US dollars, e.g. `20.00`; up to nine decimals. */
                    creditUsd: string;
                    /** @description Default: generated. */
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
                    /** @description The credential of the provider. */
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
                    /** @description Tested in place of the credential in use; not stored. */
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
                    /** @description URL that messages are posted to. */
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
                     * @description How long the old secret stays valid, in seconds.
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
                    /** @description Display name. */
                    name: string;
                    /** @description URL that messages are posted to, also at private addresses; for all kinds except `mail`. */
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
                    /** @description Display name. */
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
                    /** @description The provider. */
                    provider: string;
                    /** @description Only this wire format. Default: all. */
                    dialect?: string;
                    /** @description First day, UTC. */
                    from?: string;
                    /** @description Day after the last, UTC. */
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
                    /** @description First day, UTC. Default: at once. */
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
