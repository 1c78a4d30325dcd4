package fleet

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// keyCommands are the commands with a key that gateways send, also in scripts, with arguments for Inspect: they write
// nothing but a value that expires at once.
var keyCommands = [...][]any{
	{"GETRANGE", "0", "1"}, {"TYPE"}, {"UNLINK"}, {"ZADD", "XX", "1", "x"}, {"ZREMRANGEBYSCORE", "-inf", "+inf"}, {"ZCARD"},
	{"PEXPIRE", "1"}, {"SET", "x", "PX", "10"},
}

// Rule returns the rule of ACL SETUSER that gives a user, "default" if the URL has none, the permissions that gateways
// need, without a password: keys, channels and commands.
func (c Config) Rule() string {
	target, _ := c.URL.Parse() // the settings are validated
	rule := "ACL SETUSER " + cmp.Or(target.user, "default") + " ~" + c.Prefix + "* &" + c.Prefix + "hints +eval +evalsha +time"
	for _, command := range keyCommands {
		rule += " +" + strings.ToLower(command[0].(string))
	}
	rule += " +publish +subscribe"
	switch {
	case target.masterSet != "":
		rule += " +role"
	case target.Cluster:
		rule += " +cluster|slots"
	}
	if target.database != 0 {
		rule += " +select"
	}
	return rule
}

// add adds the error of a command.
func (i *Inspection) add(command string, err error) {
	if err == nil || errors.Is(err, redis.ErrNil) || reason(err) == reasonKey {
		return
	}
	if strings.HasPrefix(err.Error(), "ERR unknown command") {
		i.Unknown = append(i.Unknown, command)
		return
	}
	if reason(err) != reasonDenied {
		i.Failed = cmp.Or(i.Failed, cause(err))
		return
	}
	switch text := err.Error(); {
	case strings.Contains(text, " key"):
		command = "keys"
	case strings.Contains(text, " channel"):
		command = "the channel"
	case strings.Contains(text, "script") && len(i.Denied) > 0:
		return // the command in the script is in the list
	}
	if !slices.Contains(i.Denied, command) {
		i.Denied = append(i.Denied, command)
	}
}
