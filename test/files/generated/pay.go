// Collects once, refuses to do it twice, and prints the final status.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	settings := openapi.NewConfiguration()
	settings.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	transactions := openapi.NewAPIClient(settings).TransactionsAPI
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Args[2])
	back := "https://shop.example/back"
	order := openapi.NewInitRequest("go-1", "WALLETA_SN_CASHOUT", 5000, "771234567", back, back, back)
	made, _, err := transactions.InitTransaction(ctx).InitRequest(*order).Execute()
	end(err)
	if _, again, _ := transactions.InitTransaction(ctx).InitRequest(*order).Execute(); again.StatusCode != 409 {
		end(fmt.Errorf("a second order was answered %d", again.StatusCode))
	}
	status := "PENDING"
	for status == "PENDING" || status == "PROCESSING" {
		time.Sleep(200 * time.Millisecond)
		found, _, err := transactions.GetTransaction(ctx, made.Transaction.TransactionId).Execute()
		end(err)
		status = found.Transaction.Status
	}
	fmt.Println(status)
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
